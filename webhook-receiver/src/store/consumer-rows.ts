import { subjectOf } from '../core/lists.ts';
import { ACK_WAIT_MS } from '../core/pull-contract.ts';
import type { StoredConsumer, Wants } from '../core/pull-contract.ts';
import { futureFrom } from '../time/set-back.ts';
import { newId } from './new-id.ts';
import type { BatchRecord, BatchState, Take } from '../pull/consumer-store.ts';
import type { FreshBatch, LoggedEvent, OpenBatch } from '../pull/plan-batches.ts';

// Consumers and batches as stored, and how to read them. Times are milliseconds.

export interface ConsumerRow {
	key: string;
	/** Of the workflow, and of the node in it. */
	name: string;
	node: string;
	/** Where n8n shows the workflow, or null. */
	url: string | null;
	/** {@link Wants} as JSON. */
	wants: string;
	/** The last puller that has not released it; keeps the consumer until `held_until`. */
	holder: string | null;
	held_until: number;
	held_since: number;
	/** Every event up to this sequence is in a batch, or was not wanted. */
	position: number;
	/** The last `startFromNow` that was applied. */
	start_from_now: string | null;
	pulled_at: number;
	/** When the holder released it, or null. */
	away_since: number | null;
	rival_at: number | null;
	created_at: number;
}

export interface BatchRow {
	number: number;
	id: string;
	/** The key of the consumer it is for, or the queue of an n8n's wake-ups. */
	consumer: string;
	/** The wait whose execution it wakes; null for a batch of events. */
	wait: string | null;
	/** Sequences of its events, ascending, as a JSON array. */
	sequences: string;
	/** Ids of what they are about, as a JSON array: messages, consents, customers. */
	messages: string;
	/** Characters in the events' JSON. */
	size: number;
	state: BatchState;
	/** How often it was handed out. */
	attempts: number;
	/** How often n8n failed to start an execution. */
	failures: number;
	holder: string | null;
	/** When a queued batch may be handed out, or when the ack wait of one in hand ends. */
	due_at: number;
	reason: string | null;
	created_at: number;
	updated_at: number;
}

export type ConsumerFigures = Pick<StoredConsumer, 'behind' | 'queued' | 'inHand' | 'dead'> & {
	/** Arrival of the oldest event that is queued or in hand. */
	oldestAt: number | null;
};

/** Open batches one look reads, so that it stays fast; at this limit no new ones are made. */
export const OPEN_STEP = 1_000;

/** Most events that one look reads from the log. */
export const LOG_STEP = 1_000;

/**
 * For this long after a pull ends the consumer stays with its holder, which is about to pull again.
 * Also saves a write for each of several looks within one pull.
 */
const HOLD_MARGIN_MS = 10_000;

/** Suffix `~test`: consumers of *listen for test event*, which never come back. */
export const TEST_KEY = /~test$/;
const TEST_RETENTION_MS = 5 * 60_000;

export const SKIPPED = 'The workflow was published to start from now.';

export function isHeld({ holder, held_until, pulled_at }: ConsumerRow, now: number): boolean {
	return holder !== null && held_until > now && pulled_at <= futureFrom(now);
}

export function isHeldByAnother(row: ConsumerRow, holder: string, now: number): boolean {
	return isHeld(row, now) && row.holder !== holder;
}

/** Whether the pull asks, for the first time, to skip everything earlier. */
export function startsFromNow(row: ConsumerRow | null, { startFromNow }: Take): boolean {
	return row !== null && startFromNow !== null && startFromNow !== row.start_from_now;
}

/** The consumer held by this puller; `start` is where it begins, or null to continue. */
export function takenRow(
	row: ConsumerRow | null,
	take: Take,
	start: number | null,
	now: number,
): ConsumerRow {
	const { key, name, node, url, wants, holder, holdMs, startFromNow } = take;
	const isSame = row !== null && row.holder === holder;
	const isLongEnough = isSame && isHeld(row, now) && row.held_until >= now + holdMs;
	return {
		key,
		name,
		node,
		url,
		wants: JSON.stringify(wants),
		holder,
		held_until: isLongEnough ? row.held_until : now + holdMs + HOLD_MARGIN_MS,
		held_since: isSame ? row.held_since : now,
		position: start ?? (row as ConsumerRow).position,
		start_from_now: startFromNow ?? row?.start_from_now ?? null,
		pulled_at: isLongEnough ? row.pulled_at : now,
		away_since: null,
		rival_at: row?.rival_at ?? null,
		created_at: row?.created_at ?? now,
	};
}

export function releasedRow(row: ConsumerRow, now: number): ConsumerRow {
	return { ...row, holder: null, held_until: now, away_since: now };
}

/** Whether nobody has pulled the consumer for too long. */
export function isForgotten(row: ConsumerRow, retentionMs: number, now: number): boolean {
	const away = awaySince(row, now);
	return away !== null && away < now - (TEST_KEY.test(row.key) ? TEST_RETENTION_MS : retentionMs);
}

export function toStoredConsumer(
	row: ConsumerRow,
	figures: ConsumerFigures,
	now: number,
): StoredConsumer {
	return {
		...figures,
		key: row.key,
		name: row.name,
		node: row.node,
		url: row.url,
		wants: readWants(row),
		held: isHeld(row, now),
		pulledAt: toIso(row.pulled_at),
		awaySince: toIsoOrNull(awaySince(row, now)),
		rivalAt: toIsoOrNull(row.rival_at),
		oldestAt: toIsoOrNull(figures.oldestAt),
		createdAt: toIso(row.created_at),
	};
}

export function readWants({ wants }: Pick<ConsumerRow, 'wants'>): Wants {
	return JSON.parse(wants) as Wants;
}

/** Where an n8n's wake-ups queue. No consumer has such a key: it ends with a separator. */
export function wakeUpQueue(instance: string): string {
	return `${instance}~`;
}

export function toOpenBatch(row: BatchRow): OpenBatch & { row: BatchRow } {
	return { ...row, row, messages: JSON.parse(row.messages) as string[] };
}

export function sequencesOf({ sequences }: Pick<BatchRow, 'sequences'>): number[] {
	return JSON.parse(sequences) as number[];
}

export type NewBatchRow = Omit<BatchRow, 'number'>;

export function freshRow(
	consumer: string,
	batch: FreshBatch,
	holder: string,
	now: number,
): NewBatchRow {
	const queued = rowOf(consumer, batch, now);
	return batch.state === 'queued' ? queued : handedOut(queued, holder, now);
}

/** The replay of an event to a consumer that may already have had it. */
export function replayedRow(
	consumer: string,
	{ event, size }: LoggedEvent,
	now: number,
): NewBatchRow {
	const subject = subjectOf(event);
	const messages = subject === null ? [] : [subject];
	return rowOf(consumer, { events: [event], messages, size }, now);
}

function rowOf(
	consumer: string,
	{ events, messages, size }: Omit<FreshBatch, 'state'>,
	now: number,
): NewBatchRow {
	const sequences = events.map(({ sequence }) => sequence);
	return queuedRow({
		consumer,
		wait: null,
		size,
		reason: null,
		now,
		sequences: JSON.stringify(sequences),
		messages: JSON.stringify(messages),
	});
}

/** A batch that has not been handed out yet, with a new id. */
export function queuedRow({
	now,
	...batch
}: Pick<BatchRow, 'consumer' | 'wait' | 'sequences' | 'messages' | 'size' | 'reason'> & {
	now: number;
}): NewBatchRow {
	return {
		...batch,
		id: newId('bat'),
		state: 'queued',
		attempts: 0,
		failures: 0,
		holder: null,
		due_at: now,
		created_at: now,
		updated_at: now,
	};
}

export function handedOut<Row extends NewBatchRow>(row: Row, holder: string, now: number): Row {
	const attempts = row.attempts + 1;
	const due_at = now + ACK_WAIT_MS;
	return { ...row, state: 'in-hand', attempts, holder, due_at, updated_at: now };
}

export function toBatchRecord(row: BatchRow): BatchRecord {
	const isOpen = row.state === 'queued' || row.state === 'in-hand';
	return {
		id: row.id,
		number: row.number,
		consumer: row.consumer,
		wait: row.wait,
		events: sequencesOf(row),
		messages: JSON.parse(row.messages) as string[],
		state: row.state,
		attempts: row.attempts,
		dueAt: isOpen ? toIso(row.due_at) : null,
		reason: row.reason,
		createdAt: toIso(row.created_at),
		updatedAt: toIso(row.updated_at),
	};
}

/** When the holder released it, or was found gone. */
function awaySince(row: ConsumerRow, now: number): number | null {
	if (isHeld(row, now)) return null;
	return row.away_since ?? row.held_until;
}

function toIso(time: number): string {
	return new Date(time).toISOString();
}

function toIsoOrNull(time: number | null): string | null {
	return time === null ? null : toIso(time);
}
