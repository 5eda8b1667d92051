/**
 * Shared by receiver and Await Outcome: the wait that the node registers, and what wakes it.
 * Compiled into the node pack, like `contract.ts`.
 *
 * Source: design, section Outcomes.
 */
import { z } from 'zod/v4';
import { messageIdSchema, messageTypeSchema } from './event-contract.ts';

/** How many messages one wait may have. */
export const MOST_MESSAGES = 1000;

/** The longest a wait may last, in days. */
export const LONGEST_WAIT_DAYS = 366;

/**
 * Possible outcomes of a letter. `none`: nothing final by the deadline. `failed`: it was never
 * sent, or was cancelled. `erased`: the receiver was told to forget the letter.
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
export const trackedMailGoalSchema = z.enum(['opened', 'received']);
export type TrackedMailGoal = z.infer<typeof trackedMailGoalSchema>;

export const waitMessageSchema = z
	.object({
		messageId: messageIdSchema,
		/** Null if the node does not know; events usually tell. */
		messageType: messageTypeSchema.nullable().default(null),
	})
	.strict();
export type WaitMessage = z.infer<typeof waitMessageSchema>;

/** Body of `PUT /waits/{waitId}`. */
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
			.max(MOST_MESSAGES)
			.refine((all) => new Set(all.map(({ messageId }) => messageId)).size === all.length, {
				message: 'names a message twice',
			}),
		/** ISO 8601. Messages without an outcome by then are reported as such. */
		deadline: z.iso.datetime({ offset: true }),
		trackedMailGoal: trackedMailGoalSchema.default('opened'),
	})
	.strict();
export type Wait = z.infer<typeof waitSchema>;

/** What is known about one message of a wait. */
export const messageOutcomeSchema = z.object({
	messageId: messageIdSchema,
	/** One of `OUTCOMES`, or one that only a newer receiver knows. */
	outcome: z.string(),
	/** The last known status, even if it is not an outcome. */
	status: z.string().nullable(),
	/** When that happened: the service's time if it gave one, ISO 8601 UTC. */
	occurredAt: z.string().nullable(),
	/** Type of the event that said so, and its id at the receiver. */
	event: z.string().nullable(),
	eventId: z.string().nullable(),
});
export type MessageOutcome = z.infer<typeof messageOutcomeSchema>;

/** All outcomes at once, and only once. */
export const resumeSchema = z.object({
	waitId: waitIdSchema,
	/** `complete` or `deadline`, or one that only a newer receiver knows. */
	reason: z.string(),
	outcomes: z.array(messageOutcomeSchema).min(1).max(MOST_MESSAGES),
});
export type Resume = z.infer<typeof resumeSchema>;

/** Body of the request to `resumeUrl`, from n8n to itself. */
export const wakeUpBodySchema = resumeSchema.extend({ secret: z.string() });
export type WakeUpBody = z.infer<typeof wakeUpBodySchema>;

/**
 * The node's own answer to a wake-up, and the only one that counts: n8n answers everything with 200
 * while it starts. `over`: the execution no longer waits for this.
 */
export const wakeUpAnswerSchema = z.object({ wakeUp: z.enum(['resumed', 'over', 'refused']) });
export type WakeUpAnswer = z.infer<typeof wakeUpAnswerSchema>;

/**
 * `open`: outcomes are missing. `ready`: n8n is to be woken. `resumed`: it was. `over`: the
 * execution no longer waited. `given-up`: nobody woke it until long after the deadline.
 * `lastResult` says what n8n answered; any of them can be started again.
 */
export const WAIT_STATES = ['open', 'ready', 'resumed', 'over', 'given-up'] as const;

/**
 * What `PUT` and `GET /waits/{waitId}` return: nothing that would let anybody resume the execution.
 */
export const storedWaitSchema = z.object({
	waitId: waitIdSchema,
	instance: z.string(),
	state: z.enum(WAIT_STATES),
	/** The resume URL without its query, which holds n8n's own token. */
	target: z.string(),
	deadline: z.iso.datetime(),
	trackedMailGoal: trackedMailGoalSchema,
	attempts: z.number().int().nonnegative(),
	/** Result of the last wake-up: what n8n answered, or why there was no answer. */
	lastResult: z.string().nullable(),
	createdAt: z.iso.datetime(),
	updatedAt: z.iso.datetime(),
	outcomes: z.array(messageOutcomeSchema),
});
export type StoredWait = z.infer<typeof storedWaitSchema>;

/** The answer to `PUT`. */
export const registeredWaitSchema = storedWaitSchema.extend({
	/** Whether the receiver watches the messages, or only waits for webhooks. */
	watching: z.boolean(),
	/** How many processes of this n8n pull now and could fetch the outcomes. */
	pulling: z.number().int().nonnegative(),
});
