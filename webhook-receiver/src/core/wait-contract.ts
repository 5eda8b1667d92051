/**
 * Shared by the receiver and the nodes that sleep: the wait that a node registers for its messages
 * or consents, and what wakes it. Compiled into the node pack, like `event-contract.ts`.
 */
import { z } from 'zod/v4';
import { consentIdSchema, messageIdSchema, messageTypeSchema } from './event-contract.ts';

/** How many messages, or consents, one wait may have. */
export const MOST_AWAITED = 1000;

/** The longest a wait may last, in days. */
export const LONGEST_WAIT_DAYS = 366;

/**
 * Possible outcomes of a letter; those of a consent are `accepted`, `refused` and `none`. `none`:
 * nothing final by the deadline. `failed`: it was never sent, or was cancelled. `erased`: the
 * receiver was told to forget the letter.
 */
export const OUTCOMES = [
	'accepted',
	'refused',
	'opened',
	'received',
	'expired',
	'undelivered',
	'failed',
	'none',
	'erased',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The client that registers a wait picks its name: unguessable and never used before. */
export const waitIdSchema = z.string().regex(/^[A-Za-z0-9._~-]{16,200}$/);

/** When tracked mail is done: RECEIVED means that the e-mail arrived, OPENED that it was opened. */
const trackedMailGoalSchema = z.enum(['opened', 'received']);
export type TrackedMailGoal = z.infer<typeof trackedMailGoalSchema>;

const waitMessageSchema = z
	.object({
		messageId: messageIdSchema,
		/** Null if the node does not know; events usually tell. */
		messageType: messageTypeSchema.nullable().default(null),
	})
	.strict();
export type WaitMessage = z.infer<typeof waitMessageSchema>;

const waitConsentSchema = z
	.object({
		consentId: consentIdSchema,
		/** As in `ListedEntry`: a newer one may take its place before it was ever listed. */
		contact: z.string().min(1).max(100).optional(),
	})
	.strict();
export type WaitConsent = z.infer<typeof waitConsentSchema>;

/** Body of `PUT /waits/{waitId}`: waits for messages or for consents. */
export const waitSchema = z
	.object({
		/** The n8n whose pulls fetch the outcomes: the prefix of its consumers' keys. */
		instance: z.string().regex(/^[A-Za-z0-9._-]{1,100}$/),
		/** Where n8n resumes the execution; only n8n itself ever posts there. */
		resumeUrl: z.url({ protocol: /^https?$/ }),
		/** Random, for this wait alone: n8n keeps its digest, and accepts outcomes only with it. */
		secret: z.string().regex(/^[A-Za-z0-9_-]{32,128}$/),
		messages: z
			.array(waitMessageSchema)
			.min(1)
			.max(MOST_AWAITED)
			.refine((all) => isUnique(all.map(({ messageId }) => messageId)), {
				message: 'names a message twice',
			})
			.optional(),
		/**
		 * An answer to a newer consent of the same contact counts too: the service lists that one in
		 * place of the older (rule CONS-07).
		 */
		consents: z
			.array(waitConsentSchema)
			.min(1)
			.max(MOST_AWAITED)
			.refine((all) => isUnique(all.map(({ consentId }) => consentId)), {
				message: 'names a consent twice',
			})
			.optional(),
		/** ISO 8601. What has no outcome by then is reported as such. */
		deadline: z.iso.datetime({ offset: true }),
		trackedMailGoal: trackedMailGoalSchema.default('opened'),
	})
	.strict()
	.refine(({ messages, consents }) => (messages === undefined) !== (consents === undefined), {
		message: 'must name either messages or consents',
		path: ['messages'],
		// A list with a fault of its own does not get here, and would count as missing.
		when: ({ issues }) => issues.length === 0,
	});
export type Wait = z.infer<typeof waitSchema>;

// Lazy: n8n reads these, and would make them at each start.

/** What is known about one message or consent of a wait. */
const awaitedOutcomeSchema = z.lazy(() =>
	z.object({
		/** The message's or the consent's. */
		id: z.string(),
		/** One of `OUTCOMES`, or one that only a newer receiver knows. */
		outcome: z.string(),
		/** The last known status or state, even if it is not an outcome. */
		status: z.string().nullable(),
		/** When that happened: the service's time if it gave one, else when the receiver saw it; ISO 8601 UTC. */
		occurredAt: z.string().nullable(),
		/**
		 * Type of the event that said so, and its id at the receiver; the id is null for a consent that
		 * was answered before the receiver first looked.
		 */
		event: z.string().nullable(),
		eventId: z.string().nullable(),
	}),
);
export type AwaitedOutcome = z.infer<typeof awaitedOutcomeSchema>;

/** All outcomes at once, and only once. */
const resumeSchema = z.lazy(() =>
	z.object({
		waitId: waitIdSchema,
		/** `complete` or `deadline`, or one that only a newer receiver knows. */
		reason: z.string(),
		outcomes: z.array(awaitedOutcomeSchema).min(1).max(MOST_AWAITED),
	}),
);
export type Resume = z.infer<typeof resumeSchema>;

/** Body of the request to `resumeUrl`, from n8n to itself. */
export const wakeUpBodySchema = z.lazy(() => resumeSchema.unwrap().extend({ secret: z.string() }));
export type WakeUpBody = z.infer<typeof wakeUpBodySchema>;

/**
 * The node's own answer to a wake-up, and the only one that counts: n8n answers everything with 200
 * while it starts. `open`: the node has accepted it, and the execution goes on once n8n lets it. `over`:
 * the execution no longer waits for this.
 */
export const wakeUpAnswerSchema = z.lazy(() =>
	z.object({
		wakeUp: z.enum(['resumed', 'open', 'over', 'refused']),
	}),
);
export type WakeUpAnswer = z.infer<typeof wakeUpAnswerSchema>;

/**
 * `open`: outcomes are missing. Otherwise it is over, and this is the state of the batch that wakes
 * its execution; `dead`: nobody woke it until long after the deadline.
 */
const WAIT_STATES = ['open', 'queued', 'in-hand', 'done', 'dead'] as const;

/**
 * What `PUT` and `GET /waits/{waitId}` return: without anything that could resume the execution.
 */
export const waitViewSchema = z.object({
	waitId: waitIdSchema,
	instance: z.string(),
	state: z.enum(WAIT_STATES),
	/** The resume URL without its query, which holds n8n's own token. */
	target: z.string(),
	deadline: z.iso.datetime(),
	trackedMailGoal: trackedMailGoalSchema,
	/** Id of the batch that wakes the execution; null while open. */
	batch: z.string().nullable(),
	/** How often that was handed out. */
	attempts: z.number().int().nonnegative(),
	/** What n8n last answered to it, or why there was no answer. */
	lastResult: z.string().nullable(),
	createdAt: z.iso.datetime(),
	updatedAt: z.iso.datetime(),
	outcomes: z.array(awaitedOutcomeSchema),
});
export type WaitView = z.infer<typeof waitViewSchema>;

/** The answer to `PUT`. */
export const registeredWaitSchema = waitViewSchema.extend({
	/** Whether the receiver asks the service, or only waits for webhooks, which consents have none of. */
	watching: z.boolean(),
	/** How many processes of this n8n pull now and could fetch the outcomes. */
	pulling: z.number().int().nonnegative(),
});

function isUnique(ids: readonly string[]): boolean {
	return new Set(ids).size === ids.length;
}
