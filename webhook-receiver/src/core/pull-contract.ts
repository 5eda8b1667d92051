/**
 * The messages of a pull: what a consumer in n8n asks of the receiver's event log, and what it
 * gets. Compiled into the node pack, like `event-contract.ts`.
 *
 * The terms are those of JetStream's pull consumers: *ack*, *nak*, *in progress*, *term*, *ack
 * wait*, *max ack pending*.
 */
import { z } from 'zod/v4';
import { ANY_EVENT, RECEIVER_ATTENTION, filterSchema } from './event-contract.ts';
import type { DeliveryEvent } from './event-contract.ts';
import { LISTS, isTypeOf } from './lists.ts';
import { storable } from './storable.ts';
import type { Resume } from './wait-contract.ts';
import { isRecord } from './is-record.ts';

/** The longest a pull stays open when nothing is due; n8n pulls again at once. */
const LONGEST_OPEN_MS = 60_000;

/** How long the receiver waits for a settlement before it hands a batch out again. */
export const ACK_WAIT_MS = 60_000;

/** How many executions one consumer may have at once. */
export const MOST_AT_ONCE = 100;

/** How many events one execution may get. */
export const LARGEST_BATCH = 500;

/** Characters of a workflow's or node's name. */
export const LONGEST_NAME = 300;

/** Characters of the URL of a workflow. */
export const LONGEST_URL = 500;

/**
 * Names a consumer: n8n's instance id, workflow, node, and `production` or `test`, joined by `~`.
 * The part before the first `~` names the n8n that gets the wake-ups.
 */
export const consumerKeySchema = z
	.string()
	.regex(/^[A-Za-z0-9._-]+(~[A-Za-z0-9._-]+)*$/)
	.max(200);

/** The n8n a consumer belongs to. */
export function instanceOf(consumerKey: string): string {
	return consumerKey.split('~', 1)[0] ?? '';
}

/** What a consumer wants from the log. Types unknown to this receiver match nothing. */
export const wantsSchema = z
	.object({
		events: z
			.array(z.string().min(1).max(100).transform(storable))
			.min(1)
			.max(100)
			.transform(withoutCovered),
		filter: filterSchema.optional(),
		/** Most events in a batch; a batch becomes one execution. */
		batchSize: z.number().int().min(1).max(LARGEST_BATCH).default(1),
	})
	.strict();
export type Wants = z.infer<typeof wantsSchema>;

/**
 * What became of a batch. `ack`: its execution exists, and has ended, failed or sleeps; of a
 * wake-up: the sleeping node itself said that it goes on, or that it no longer waits for this.
 * `inProgress`: it is running, or n8n has the wake-up in hand, so the ack wait restarts. `nak`: none
 * could be started or woken; retry after a while. `term`: none ever will be; the batch is dead.
 */
export const settlementSchema = z
	.object({
		batch: z.string().min(1).max(100),
		outcome: z.enum(['ack', 'inProgress', 'nak', 'term']),
		/**
		 * Why not, in words for an operator; never anything from the event itself. Of a wake-up: the
		 * answer, and the route the request took.
		 */
		reason: z.string().max(500).optional(),
	})
	.strict();
export type BatchSettlement = z.infer<typeof settlementSchema>;

/** Most wake-ups that one n8n process has in hand. */
export const MOST_WAKE_UPS = 50;

const textSchema = z.string().max(LONGEST_NAME).default('').transform(storable);

/** Body of `POST /consumers/{key}/pull`. */
export const pullSchema = z
	.object({
		/** The pulling process: a random id, constant for the life of an n8n process. */
		holder: z.string().regex(/^[A-Za-z0-9-]{8,64}$/),
		/**
		 * Null: no events, only wake-ups. Such a consumer is not stored, and has no single holder.
		 */
		wants: wantsSchema.nullable(),
		/** Max ack pending: batches that may be in hand at once. 0: none for now. */
		atOnce: z.number().int().min(0).max(MOST_AT_ONCE).default(1),
		settle: z.array(settlementSchema).max(1000).default([]),
		/** The same of wake-ups: whichever consumer of an n8n pulls, they are those of the whole n8n. */
		wakeUps: z.array(settlementSchema).max(1000).default([]),
		/**
		 * Skips everything earlier: once for each value, so that a repeated pull does not skip what
		 * arrived meanwhile. Null to continue where the consumer was.
		 */
		startFromNow: z.string().min(1).max(100).nullable().default(null),
		/**
		 * `now` of the last answer. A receiver that has lost its database, and so does not know
		 * this consumer, begins with events received from then on. Null to begin at the end of the
		 * log.
		 */
		since: z.iso.datetime().nullable().default(null),
		/** How long the pull stays open when nothing is due; 0 for an immediate answer. */
		openMs: z.number().int().min(0).max(LONGEST_OPEN_MS).default(25_000),
		/** n8n leaves: unpublished, or stopping. Answered at once, without batches. */
		leaving: z.boolean().default(false),
		/** The workflow, for operators; older packs add the node. */
		name: textSchema,
		/** The node in it. */
		node: textSchema,
		/** Where n8n shows the workflow; null if the node can't know. */
		url: z
			.url({ protocol: /^https?$/ })
			.max(LONGEST_URL)
			.nullable()
			.default(null),
	})
	.strict();
export type Pull = z.infer<typeof pullSchema>;
/** The same as clients write it. */
export type PullRequest = z.input<typeof pullSchema>;

// What n8n reads is made when it first does, not whenever n8n starts.

/** Becomes one execution; keeps its id and events until it is settled. */
export const batchSchema = z.lazy(() =>
	z.object({
		id: z.string().min(1).max(100),
		/** How often it was handed out, including this time. */
		attempt: z.number().int().positive(),
		/** Parsed leniently: members and names a newer receiver introduces pass through unchanged. */
		events: z.array(z.custom<DeliveryEvent>(hasId)).min(1),
	}),
);
export type Batch = z.infer<typeof batchSchema>;

/** A batch for a sleeping execution: the puller posts its outcomes to the resume URL. */
export const wakeUpSchema = z.lazy(() =>
	z.object({
		id: z.string().min(1).max(100),
		resumeUrl: z.string(),
		/** Proves to the node that the outcomes come from the receiver where it registered its wait. */
		secret: z.string(),
		/** Read by the woken node, not on the way there. */
		resume: z.custom<Resume>(isRecord),
	}),
);
export type WakeUp = z.infer<typeof wakeUpSchema>;

/** The answer to a pull. */
export const pullAnswerSchema = z.lazy(() =>
	z.object({
		batches: z.array(batchSchema),
		wakeUps: z.array(wakeUpSchema),
		/** Whether executions of this n8n still wait for outcomes. */
		waiting: z.boolean(),
		/** Whether the receiver watches letters, or only waits for webhooks. */
		watching: z.boolean(),
		/** The receiver's time. */
		now: z.iso.datetime(),
	}),
);
export type PullAnswer = z.infer<typeof pullAnswerSchema>;

/** `code` of the 409 that refuses a second holder. */
export const HELD_BY_ANOTHER = 'consumer-held';

/** What `GET /consumers` returns for each. Times are ISO 8601 UTC. */
export const consumerViewSchema = z.object({
	key: z.string(),
	name: z.string(),
	node: z.string(),
	url: z.string().nullable(),
	wants: wantsSchema,
	/** Whether an n8n holds it now. */
	held: z.boolean(),
	/** When it was last pulled. */
	pulledAt: z.iso.datetime(),
	/** When n8n released it, or was found gone; null while it is held. */
	awaySince: z.iso.datetime().nullable(),
	/** When another n8n with the same identity was last rejected; null if never. */
	rivalAt: z.iso.datetime().nullable(),
	/** Events in the log that it has not reached yet; it may not want all of them. */
	behind: z.number().int().nonnegative(),
	/** Batches that are queued, in hand, and dead. */
	queued: z.number().int().nonnegative(),
	inHand: z.number().int().nonnegative(),
	dead: z.number().int().nonnegative(),
	/** Arrival of the oldest event that is queued or in hand; null if there is none. */
	oldestAt: z.iso.datetime().nullable(),
	createdAt: z.iso.datetime(),
});
export type ConsumerView = z.infer<typeof consumerViewSchema>;

function withoutCovered(types: string[]): string[] {
	if (!types.includes(ANY_EVENT)) return types;
	return [ANY_EVENT, ...new Set(types.filter(isNoLetters))];
}

/** A filter of letters makes a difference between these by name, and as part of "any event". */
function isNoLetters(type: string): boolean {
	return type === RECEIVER_ATTENTION || LISTS.some((list) => isTypeOf(list, type));
}

function hasId(value: unknown): boolean {
	return isRecord(value) && typeof (value as { id?: unknown }).id === 'string';
}
