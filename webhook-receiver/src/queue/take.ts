import { ANY_EVENT } from '../core/event-contract.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import { listsWanted } from '../core/match.ts';
import type { Batch, Wants } from '../core/pull-contract.ts';
import type { Transaction } from '../sql/engine.ts';
import { endOf, positionAt, readAfter } from '../sql/log.ts';
import type { EventRow, LoggedEvent, LogRow, RecentEvents } from '../sql/log.ts';
import {
	eventsRow,
	handedOut,
	insertBatches,
	IS_OPEN,
	sequencesOf,
	settleBatches,
	subjectsOf,
	updateBatches,
} from './batch-rows.ts';
import type { BatchRow } from './batch-rows.ts';
import {
	addConsumers,
	isHeldByAnother,
	isSameConsumer,
	lockConsumer,
	putConsumers,
	startsFromNow,
	takenRow,
} from './consumer-rows.ts';
import type { ConsumerRow, Take } from './consumer-rows.ts';
import { planBatches } from './plan-batches.ts';

/** Open batches one look reads, so that it stays fast; at this limit no new ones are made. */
const OPEN_AT_ONCE = 1_000;

/** Most events that one look reads from the log. */
const LOG_AT_ONCE = 1_000;

/** Fewest events to read, since some are not wanted, or are of busy subjects. */
const SMALLEST_LOG_STEP = 50;

const NOTHING_READ = { rows: [], isAll: true };

const SKIPPED = 'The workflow was published to start from now.';

export type Taken =
	| {
			kind: 'taken';
			batches: Batch[];
			/** When something else falls due without new events, or null. */
			wakeAt: number | null;
			/** There may be more right now: the step was bounded. */
			more: boolean;
			/**
			 * The holder has as many in hand as allowed: new events change nothing for it before
			 * `onQueue` or `wakeAt`.
			 */
			isFull: boolean;
	  }
	/** Another holder has held it since then. */
	| { kind: 'held'; since: number };

/**
 * One look at the log for a consumer. The log is the queue: an event is written once, however many consumers want
 * it. A consumer has a position in the log: everything up to it is in a batch, or was not wanted. A batch has its
 * id and its events from the moment the position passes them.
 *
 * - It hands out at most `atOnce` batches, including those already in hand.
 * - Events of one message are handed out in order: if the message has an earlier batch that is
 *   queued or in hand, the event waits in a separate batch.
 * - A batch in hand is handed out again when its ack wait ends, or at once to another holder.
 * - A consumer's first pull begins at the end of the log, or with `since`.
 * - Settlements count from any sender, but `inProgress` and `nak` only from the holder that has
 *   the batch in hand. Settled and unknown batches are skipped.
 */
export async function take(
	tx: Transaction,
	recent: RecentEvents,
	request: Take,
	now: number,
): Promise<Taken> {
	const { key, holder } = request;
	const { present, isNew } = await consumerOf(tx, request, now);
	const hasSettled = (await settleBatches(tx, request, now)).length > 0;
	if (isHeldByAnother(present, holder, now)) {
		await putConsumers(tx, [{ ...present, rival_at: now }]);
		if (hasSettled) tx.notices.add(`queue ${key}`);
		return { kind: 'held', since: present.held_since };
	}
	const isReset = startsFromNow(present, request);
	if (isReset) await skipQueued(tx, key, now);
	const start = isReset ? await startOf(tx, request) : null;
	const next = takenRow(present, request, start, now);
	const { taken, moved } = await handOut(tx, recent, { request, next }, now);
	if (!isSameConsumer(present, moved)) await putConsumers(tx, [moved]);
	const wantsAnew = isNew || present.wants !== moved.wants;
	if (wantsAnew && listsWanted(request.wants).length > 0) tx.notices.add('wants');
	if (hasSettled && !taken.isFull) tx.notices.add(`queue ${key}`);
	return taken;
}

/** The consumer's row, locked; the first pull creates it. */
async function consumerOf(
	tx: Transaction,
	request: Take,
	now: number,
): Promise<{ present: ConsumerRow; isNew: boolean }> {
	for (let isNew = false; ; isNew = true) {
		const present = await lockConsumer(tx, request.key);
		if (present !== null) return { present, isNew };
		await addConsumers(tx, [takenRow(null, request, await startOf(tx, request), now)]);
	}
}

function startOf(tx: Transaction, { startFromNow, since }: Take): Promise<number> {
	return startFromNow === null && since !== null ? positionAt(tx, since) : endOf(tx);
}

async function handOut(
	tx: Transaction,
	recent: RecentEvents,
	{ request, next }: { request: Take; next: ConsumerRow },
	now: number,
): Promise<{ taken: Extract<Taken, { kind: 'taken' }>; moved: ConsumerRow }> {
	const { key, wants, holder, atOnce } = request;
	const rows = await tx.rows<BatchRow>(
		`SELECT * FROM batches WHERE consumer = $1 AND ${IS_OPEN} ORDER BY number LIMIT ${OPEN_AT_ONCE}`,
		[key],
	);
	const inHand = rows.filter((row) => row.state === 'in-hand' && row.holder === holder);
	const limit = rows.length < OPEN_AT_ONCE ? logStep(wants, atOnce - inHand.length) : 0;
	const types = wants.events.includes(ANY_EVENT) ? null : wants.events;
	const { rows: read, isAll } =
		limit > 0 ? await readAfter(tx, next.position, types, limit) : NOTHING_READ;
	const plan = planBatches({
		open: rows.map((row) => ({ ...row, row, subjects: subjectsOf(row) })),
		log: logged(read, recent),
		position: next.position,
		wants,
		holder,
		atOnce,
		now,
	});
	const again = plan.again.map(({ row }) => handedOut(row, holder, now));
	const fresh = plan.fresh.map((batch) => {
		const row = eventsRow(key, batch, now);
		return { batch, row: batch.state === 'queued' ? row : handedOut(row, holder, now) };
	});
	await updateBatches(tx, again);
	await insertBatches(
		tx,
		fresh.map(({ row }) => row),
	);
	const last = plan.isStopped ? lastPassed(read, plan.position) : read.at(-1);
	const events = await eventsOf(tx, recent, again);
	const made = fresh.filter(({ batch }) => batch.state === 'in-hand');
	const batches = [
		...again.map(({ id, attempts }) => ({ id, attempt: attempts, events: events.get(id) ?? [] })),
		...made.map(({ batch, row }) => ({ id: row.id, attempt: 1, events: batch.events })),
	];
	const { isFull, isStopped, wakeAt } = plan;
	const more = !isStopped && !isFull && !isAll;
	return {
		taken: { kind: 'taken', batches, wakeAt, more, isFull },
		moved: last ? { ...next, position: last.sequence } : next,
	};
}

/**
 * How many events to read when there is room for so many batches: twice as many as fit. Reads some
 * even without room, since the position moves past unwanted events.
 */
function logStep({ events, filter, batchSize }: Wants, room: number): number {
	const mayPass = !events.includes(ANY_EVENT) || filter !== undefined;
	if (room <= 0 && !mayPass) return 0;
	return Math.min(Math.max(2 * room * batchSize, SMALLEST_LOG_STEP), LOG_AT_ONCE);
}

/** Parses only as far as the plan reads. */
function* logged(rows: readonly LogRow[], recent: RecentEvents): Generator<LoggedEvent> {
	for (const { sequence, id, event } of rows) {
		if (event !== null) yield recent.read({ sequence, id, event });
	}
}

/** The last row before the event the plan stopped at; the plan never sees rows of other types. */
function lastPassed(log: readonly LogRow[], position: number): LogRow | undefined {
	const next = log.findIndex(({ sequence }) => sequence === position) + 1;
	const stop = log.findIndex(({ event }, index) => index >= next && event !== null);
	return log[stop - 1];
}

/** Events of existing batches, by batch id. */
async function eventsOf(
	tx: Transaction,
	recent: RecentEvents,
	rows: readonly BatchRow[],
): Promise<Map<string, DeliveryEvent[]>> {
	if (rows.length === 0) return new Map();
	const found = await tx.rows<EventRow & { id: string }>(
		'SELECT sequence, id, event FROM events WHERE sequence = ANY($1)',
		[rows.flatMap(sequencesOf)],
	);
	const bySequence = new Map(found.map((row) => [row.sequence, recent.read(row).event]));
	return new Map(
		rows.map((row) => {
			const events = sequencesOf(row).map((one) => bySequence.get(one));
			return [row.id, events.filter((event) => event !== undefined)];
		}),
	);
}

/** Marks batches that were never handed out as done. */
async function skipQueued(tx: Transaction, key: string, now: number): Promise<void> {
	await tx.rows(
		`UPDATE batches SET state = 'done', reason = $2, updated_at = $3
		WHERE consumer = $1 AND ${IS_OPEN} AND attempts = 0`,
		[key, SKIPPED, now],
	);
}
