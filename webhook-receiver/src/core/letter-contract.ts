/**
 * Shared by the receiver and the nodes: the book of letters. Compiled into the node pack, like `event-contract.ts`.
 */
import { z } from 'zod/v4';
import { messageIdSchema, messageTypeSchema } from './event-contract.ts';
import { storable } from './storable.ts';

/** The most recipients that one claim may name, and so the most letters. */
export const MOST_RECIPIENTS = 10_000;

/** Longer than any that the service takes: what is only noted must not keep a letter from leaving. */
const noted = z.string().max(2000).transform(storable);

/** A letter to one or several recipients that is about to be sent: their records begin with its claim. */
export const letterToSendSchema = z
	.object({
		/** Address of the service. */
		service: noted,
		/** Null for one that is sent again, as the sender, the references and the original recipients. */
		type: messageTypeSchema.nullable(),
		/** The customer it is sent for. */
		sender: noted.nullable(),
		/** Their email addresses, in the order of the request. */
		recipients: z.array(noted.nullable()).min(1).max(MOST_RECIPIENTS),
		fileReference: noted.nullable(),
		customerReference: noted.nullable(),
		/** What sends it. */
		workflow: z.object({ id: noted, name: noted }).strict(),
		executionId: noted,
	})
	.strict();
export type LetterToSend = z.infer<typeof letterToSendSchema>;

/**
 * What became of a letter. `leaving`: its request is under way. `unknown`: it may have been sent, and a person has to
 * say. `open`: it was sent, and nothing final has come. `failed`: it was never sent, or was cancelled.
 */
export const LETTER_OUTCOMES = [
	'leaving',
	'unknown',
	'open',
	'accepted',
	'refused',
	'opened',
	'received',
	'expired',
	'undelivered',
	'failed',
] as const;
export type LetterOutcome = (typeof LETTER_OUTCOMES)[number];

// Lazy: n8n reads these, and would make them at each start.

/** One letter to one recipient. Times are ISO 8601 UTC. */
export const letterSchema = z.lazy(() =>
	z.object({
		/** Null as long as the service has given it none that is known. */
		messageId: messageIdSchema.nullable(),
		/** One of `LETTER_OUTCOMES`, or one that only a newer receiver knows. */
		outcome: z.string(),
		/** The last known status, or null. */
		status: z.string().nullable(),
		type: z.string().nullable(),
		/** Null for a letter that others sent. So is everything below except the references. */
		recipient: z.string().nullable(),
		sender: z.string().nullable(),
		fileReference: z.string().nullable(),
		customerReference: z.string().nullable(),
		workflow: z.object({ id: z.string(), name: z.string() }).nullable(),
		executionId: z.string().nullable(),
		/** The key it was sent under. */
		claim: z.string().nullable(),
		/** Why it is unknown; null for any other outcome. */
		reason: z.string().nullable(),
		/** When its claim, or the first event of it, came. */
		beganAt: z.string(),
		/** When the receiver learned of its status. */
		changedAt: z.string().nullable(),
	}),
);
export type Letter = z.infer<typeof letterSchema>;

/** The answer to `GET /letters`: newest first; `next` is the `before` of the next page, or null. */
export const lettersSchema = z.lazy(() =>
	z.object({ data: z.array(letterSchema), next: z.string().nullable() }),
);

/** The answer to `GET /letters/summary`. */
export const letterSummarySchema = z.lazy(() =>
	z.object({ total: z.number(), outcomes: z.record(z.string(), z.number()) }),
);
