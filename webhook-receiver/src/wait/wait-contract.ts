/**
 * The meeting point of receiver and Await Outcome: the wait that the node registers, and what it is
 * woken with. Compiled into the node pack as `contract.ts` is.
 *
 * Source: design, section Outcomes.
 */
import { z } from 'zod/v4';
import { messageTypeSchema } from '../contract.ts';

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
export type Outcome = (typeof OUTCOMES)[number];

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
		/** The n8n whose pulls bring the outcomes home: what its consumers' keys begin with. */
		instance: z.string().regex(/^[A-Za-z0-9._-]{1,100}$/),
		/** Where n8n resumes the execution; only n8n itself ever posts there. */
		resumeUrl: z.url({ protocol: /^https?$/ }),
		/** Random, of this wait alone: n8n keeps its digest, and takes outcomes only with it. */
		secret: z.string().regex(/^[A-Za-z0-9_-]{32,128}$/),
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
	/** One of `OUTCOMES`, or what a newer receiver knows besides. */
	outcome: z.string(),
	/** The last status known, also when it is not an outcome. */
	status: z.string().nullable(),
	/** When that happened: the service's time where it told one, ISO 8601 UTC. */
	occurredAt: z.string().nullable(),
	/** Type of the event that said so, and its id at the receiver. */
	event: z.string().nullable(),
	eventId: z.string().nullable(),
});
export type MessageOutcome = z.infer<typeof messageOutcomeSchema>;

/** All outcomes at once, and only once. */
export const resumeSchema = z.object({
	waitId: waitIdSchema,
	/** `complete` or `deadline`, or what a newer receiver knows besides. */
	reason: z.string(),
	outcomes: z.array(messageOutcomeSchema).min(1).max(MOST_MESSAGES),
});
export type Resume = z.infer<typeof resumeSchema>;

/** Body of the request to `resumeUrl`, from n8n to itself. */
export const wakeUpBodySchema = resumeSchema.extend({ secret: z.string() });
export type WakeUpBody = z.infer<typeof wakeUpBodySchema>;

/**
 * The node's own answer to a wake-up, and the only one that counts: while n8n starts it answers
 * everything with 200. `over`: the execution does not wait for this any more.
 */
export const wakeUpAnswerSchema = z.object({ wakeUp: z.enum(['resumed', 'over', 'refused']) });
export type WakeUpAnswer = z.infer<typeof wakeUpAnswerSchema>;

/**
 * `open`: outcomes are missing. `ready`: n8n is to be woken. `resumed`: it was. `over`: the execution
 * did not wait any more. `given-up`: nobody woke it until long after the deadline. `lastResult` says
 * what n8n answered; any of them can be started anew.
 */
export const WAIT_STATES = ['open', 'ready', 'resumed', 'over', 'given-up'] as const;

/** What `PUT` and `GET /waits/{waitId}` answer: nothing that lets anybody resume the execution. */
export const storedWaitSchema = z.object({
	waitId: waitIdSchema,
	instance: z.string(),
	state: z.enum(WAIT_STATES),
	/** The resume URL without its query, which holds n8n's own token. */
	target: z.string(),
	deadline: z.iso.datetime(),
	trackedMailGoal: trackedMailGoalSchema,
	attempts: z.number().int().nonnegative(),
	/** Of the last wake-up: what n8n answered, or why there was no answer. */
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
	/** How many processes of this n8n pull now, and would bring the outcomes home. */
	pulling: z.number().int().nonnegative(),
});
