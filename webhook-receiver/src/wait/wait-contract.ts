/**
 * The meeting point of receiver and Await Outcome: the wait that the node registers, and the one
 * request that brings it the outcomes. Compiled into the node pack as `contract.ts` is.
 *
 * Source: design, section Outcomes.
 */
import { z } from 'zod/v4';
import { messageTypeSchema, subscriptionSchema } from '../contract.ts';

/** How many messages one wait may have. */
export const MOST_MESSAGES = 1000;

/** No wait goes on longer, in days. */
export const LONGEST_WAIT_DAYS = 366;

/**
 * What can become of a letter. `none`: nothing final until the deadline. `failed`: it was never sent,
 * or was cancelled.
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
] as const;
export const outcomeSchema = z.enum(OUTCOMES);
export type Outcome = z.infer<typeof outcomeSchema>;

export const messageIdSchema = z.string().regex(/^\d{12}$/, 'must be 12 digits');

/** Waits are named by who registers them, with a name nobody can guess or has used before. */
export const waitIdSchema = z.string().regex(/^[A-Za-z0-9._~-]{16,200}$/);

/** When tracked mail is done: RECEIVED says that the e-mail arrived, OPENED that somebody looked. */
export const trackedMailGoalSchema = z.enum(['opened', 'received']);
export type TrackedMailGoal = z.infer<typeof trackedMailGoalSchema>;

export const waitMessageSchema = z
	.object({
		messageId: messageIdSchema,
		/** Null where the node does not know; events mostly tell. */
		messageType: messageTypeSchema.nullable().default(null),
	})
	.strict();
export type WaitMessage = z.infer<typeof waitMessageSchema>;

/** Body of `PUT /waits/{waitId}`. */
export const waitSchema = z
	.object({
		resumeUrl: z.url({ protocol: /^https?$/ }),
		/** Signs the one request to `resumeUrl` as Standard Webhooks say. */
		secret: subscriptionSchema.shape.secret,
		messages: z
			.array(waitMessageSchema)
			.min(1)
			.max(MOST_MESSAGES)
			.refine((all) => new Set(all.map(({ messageId }) => messageId)).size === all.length, {
				message: 'names a message twice',
			}),
		/** ISO 8601. What has no outcome by then is reported so. */
		deadline: z.iso.datetime({ offset: true }),
		trackedMailGoal: trackedMailGoalSchema.default('opened'),
	})
	.strict();
export type Wait = z.infer<typeof waitSchema>;

/** What is known of one message of a wait. */
export const messageOutcomeSchema = z.object({
	messageId: messageIdSchema,
	outcome: outcomeSchema,
	/** The last status known, also when it is not an outcome. */
	status: z.string().nullable(),
	/** When that happened: the service's time where it told one, ISO 8601 UTC. */
	occurredAt: z.string().nullable(),
	/** Type of the event that said so, and its id at the receiver. */
	event: z.string().nullable(),
	eventId: z.string().nullable(),
});
export type MessageOutcome = z.infer<typeof messageOutcomeSchema>;

/** Body of the request to `resumeUrl`: all outcomes at once, and only once. */
export const resumeSchema = z.object({
	waitId: waitIdSchema,
	reason: z.enum(['complete', 'deadline']),
	outcomes: z.array(messageOutcomeSchema).min(1).max(MOST_MESSAGES),
});
export type Resume = z.infer<typeof resumeSchema>;

/**
 * `open`: outcomes are missing. `ready`: being brought to n8n. `resumed`: n8n took them. `given-up`:
 * n8n has no use for them any more, or could not be reached for days; `lastResult` says which.
 */
export const WAIT_STATES = ['open', 'ready', 'resumed', 'given-up'] as const;

/** What `PUT` and `GET /waits/{waitId}` answer: nothing that lets anybody resume the execution. */
export const storedWaitSchema = z.object({
	waitId: waitIdSchema,
	state: z.enum(WAIT_STATES),
	/** The resume URL without its query, which holds n8n's own token. */
	target: z.string(),
	deadline: z.iso.datetime(),
	trackedMailGoal: trackedMailGoalSchema,
	attempts: z.number().int().nonnegative(),
	/** Of the last attempt: the HTTP status, or why there was none. */
	lastResult: z.string().nullable(),
	createdAt: z.iso.datetime(),
	updatedAt: z.iso.datetime(),
	outcomes: z.array(messageOutcomeSchema),
});
export type StoredWait = z.infer<typeof storedWaitSchema>;

/** The answer to `PUT` says as well whether the receiver watches the messages, or only waits for webhooks. */
export const registeredWaitSchema = storedWaitSchema.extend({ watching: z.boolean() });
