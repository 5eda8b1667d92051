import type { DeliveryEvent } from '../../contract.ts';
import { ANY_EVENT } from '../../contract.ts';
import type { Wants } from '../../core/pull-contract.ts';
import type { Take, Taken } from '../../pull/consumer-store.ts';
import type { LoggedEvent } from '../../pull/plan-batches.ts';
import { planBatches } from '../../pull/plan-batches.ts';
import {
	LEFT_OUT,
	LOG_STEP,
	OPEN_STEP,
	freshRow,
	handedOut,
	isHeldByAnother,
	settledRow,
	startsAnew,
	takenRow,
	toOpenBatch,
} from '../consumer-rows.ts';
import type { BatchRow } from '../consumer-rows.ts';
import { toEvent, toLoggedEvent } from '../rows.ts';
import type { EventRow } from '../rows.ts';
import { insertBatches, updateBatches } from './batch-rows.ts';
import type { Db } from './connect.ts';
import { addConsumer, isSameConsumer, lockConsumer, writeConsumer } from './consumer-row.ts';
import type { PlacedConsumer } from './consumer-row.ts';
import { endOfLog, readLog } from './log.ts';
import type { LogRow } from './log.ts';
import { notify } from './notify.ts';
import { SCHEMA } from './schema.ts';

/** Events read at least, since some are not wanted, or of messages that are busy. */
const SMALLEST_LOG_STEP = 50;

/** A snapshot in which nothing is visible. */
const NOTHING_YET = '1:1:';

const IS_OPEN = `state IN ('queued', 'in-hand')`;

/** One look at the log for a consumer, in the given transaction. */
export async function take(db: Db, asked: Take, now: number): Promise<Taken> {
	const { key, holder } = asked;
	const present = await consumerOf(db, asked, now);
	if (isHeldByAnother(present, holder, now)) {
		await writeConsumer(db, { ...present, rival_at: now });
		if (await settleBatches(db, asked, now)) await notify(db, 'consumer', [key]);
		return { kind: 'held', since: present.held_since };
	}
	const isAnew = startsAnew(present, asked);
	// First, since what is left out would be settled no more.
	const hasSettledFirst = isAnew && (await settleBatches(db, asked, now));
	if (isAnew) await leaveOut(db, key, now);
	const next = {
		...{ ...present, ...takenRow(present, asked, 0, now) },
		...(isAnew && (await startOfConsumer(db, asked))),
	};
	const { taken, hasSettled } = await handOut(db, { asked, present, next }, now);
	if ((hasSettled || hasSettledFirst) && !taken.isFull) await notify(db, 'consumer', [key]);
	return taken;
}

/** Answers whether anything changed that may make something else due. The consumer is locked. */
export async function settleBatches(
	db: Db,
	asked: Pick<Take, 'key' | 'holder' | 'settle'>,
	now: number,
): Promise<boolean> {
	if (asked.settle.length === 0) return false;
	const rows = (await db.rows(
		`SELECT * FROM ${SCHEMA}.batches WHERE consumer = $1 AND id = ANY($2)`,
		[asked.key, asked.settle.map(({ batch }) => batch)],
	)) as BatchRow[];
	const settled = settledRows(rows, asked, now);
	await updateBatches(db, settled);
	return hasOtherState(rows, settled);
}

/** Whether a settlement did more than to let an ack wait begin again. */
function hasOtherState(before: readonly BatchRow[], settled: readonly BatchRow[]): boolean {
	const states = new Map(before.map((row) => [row.id, row.state]));
	return settled.some(({ id, state }) => state !== states.get(id));
}

/** Those that the settlements change, as they leave them. */
function settledRows(
	rows: readonly BatchRow[],
	{ holder, settle }: Pick<Take, 'holder' | 'settle'>,
	now: number,
): BatchRow[] {
	const byId = new Map(rows.map((row) => [row.id, row]));
	const settled = new Map<string, BatchRow>();
	for (const settlement of settle) {
		const row = settled.get(settlement.batch) ?? byId.get(settlement.batch);
		const next = row && settledRow(row, settlement, holder, now);
		if (next) settled.set(next.id, next);
	}
	return [...settled.values()];
}

/** The consumer's row, locked; the first pull makes it. */
async function consumerOf(db: Db, asked: Take, now: number): Promise<PlacedConsumer> {
	for (;;) {
		const row = await lockConsumer(db, asked.key);
		if (row !== null) return row;
		await addConsumer(db, {
			...takenRow(null, asked, 0, now),
			...(await startOfConsumer(db, asked)),
		});
	}
}

async function startOfConsumer(db: Db, { startAnew, since }: Take) {
	if (startAnew === null && since !== null) return await startAt(db, since);
	const { xid, sequence: position, began } = await endOfLog(db);
	return { xid, position, began };
}

/** Before what was received from then on; nothing of a transaction that is under way is passed over. */
async function startAt(db: Db, since: number) {
	const [first] = (await db.rows(
		`SELECT least((
			SELECT xid FROM ${SCHEMA}.events WHERE received_at >= $1 ORDER BY xid LIMIT 1
		), pg_snapshot_xmin(pg_current_snapshot())) AS xid`,
		[since],
	)) as [{ xid: string }];
	return { xid: first.xid, position: 0, began: NOTHING_YET };
}

async function handOut(
	db: Db,
	{ asked, present, next }: { asked: Take; present: PlacedConsumer; next: PlacedConsumer },
	now: number,
): Promise<{ taken: Extract<Taken, { kind: 'taken' }>; hasSettled: boolean }> {
	const { key, wants, holder, atOnce } = asked;
	const rows = (await db.rows(
		`SELECT * FROM ${SCHEMA}.batches WHERE consumer = $1 AND ${IS_OPEN}
		ORDER BY id = ANY($2) DESC, number LIMIT ${OPEN_STEP}`,
		[key, asked.settle.map(({ batch }) => batch)],
	)) as BatchRow[];
	const settled = settledRows(rows, asked, now);
	const open = [...new Map([...rows, ...settled].map((row) => [row.number, row])).values()]
		.filter(({ state }) => state === 'queued' || state === 'in-hand')
		.sort((left, right) => left.number - right.number)
		.map(toOpenBatch);
	const inHand = open.filter(({ state, holder: whose }) => state === 'in-hand' && whose === holder);
	const limit = rows.length < OPEN_STEP ? logStep(wants, atOnce - inHand.length) : 0;
	const log = limit > 0 ? await logAfter(db, next, { asked, limit }) : [];
	const look = { open, wants, holder, atOnce, now, position: next.position };
	const plan = planBatches({ ...look, log: logged(log) });

	const again = plan.again.map(({ row }) => handedOut(row, holder, now));
	const fresh = plan.fresh.map((batch) => ({ batch, row: freshRow(key, batch, holder, now) }));
	await updateBatches(db, [
		...new Map([...settled, ...again].map((row) => [row.number, row])).values(),
	]);
	await insertBatches(
		db,
		fresh.map(({ row }) => row),
	);
	const last = plan.isStopped ? lastPassed(log, plan.position) : log.at(-1);
	const moved = last ? { ...next, xid: last.xid, position: last.sequence } : next;
	if (!isSameConsumer(present, moved)) await writeConsumer(db, moved);

	const events = await eventsOf(db, again);
	const made = fresh.filter(({ batch }) => batch.state === 'in-hand');
	const batches = [
		...again.map(({ id, attempts }) => ({ id, attempt: attempts, events: events.get(id) ?? [] })),
		...made.map(({ batch, row }) => ({ id: row.id, attempt: 1, events: batch.events })),
	];
	const { isFull, isStopped, wakeAt } = plan;
	const more = !isStopped && !isFull && limit > 0 && log.length === limit;
	return {
		taken: { kind: 'taken', batches, wakeAt, more, isFull },
		hasSettled: hasOtherState(rows, settled),
	};
}

/**
 * How many events to read when there is room for so many batches: as many again as may be needed. Also
 * without room, since the position moves on over what is not wanted.
 */
function logStep({ events, filter, batchSize }: Wants, room: number): number {
	const mayPass = !events.includes(ANY_EVENT) || filter !== undefined;
	if (room <= 0 && !mayPass) return 0;
	return Math.min(Math.max(2 * room * batchSize, SMALLEST_LOG_STEP), LOG_STEP);
}

async function logAfter(
	db: Db,
	{ xid, position: sequence, began }: PlacedConsumer,
	{ asked, limit }: { asked: Take; limit: number },
): Promise<LogRow[]> {
	const { events } = asked.wants;
	const types = events.includes(ANY_EVENT) ? null : events;
	const { rows } = await readLog(db, { after: { xid, sequence }, began, types, limit });
	return rows;
}

/** Parsed as far as the plan goes. */
function* logged(rows: readonly LogRow[]): Generator<LoggedEvent> {
	for (const { sequence, event } of rows) {
		if (event !== null) yield toLoggedEvent({ sequence, event });
	}
}

/** The last one before the event that the plan stopped at; those of other types it has not seen. */
function lastPassed(log: readonly LogRow[], position: number): LogRow | undefined {
	const next = log.findIndex(({ sequence }) => sequence === position) + 1;
	const stop = log.findIndex(({ event }, index) => index >= next && event !== null);
	return log[stop - 1];
}

/** Of batches that were made before, by their id. */
async function eventsOf(db: Db, rows: readonly BatchRow[]): Promise<Map<string, DeliveryEvent[]>> {
	if (rows.length === 0) return new Map();
	const found = (await db.rows(
		`SELECT sequence, event FROM ${SCHEMA}.events WHERE sequence = ANY($1)`,
		[rows.flatMap((row) => JSON.parse(row.sequences) as number[])],
	)) as EventRow[];
	const bySequence = new Map(found.map((row) => [row.sequence, toEvent(row)]));
	return new Map(
		rows.map(({ id, sequences }) => {
			const events = (JSON.parse(sequences) as number[]).map((one) => bySequence.get(one));
			return [id, events.filter((event) => event !== undefined)];
		}),
	);
}

/** What was never handed out is left out. */
async function leaveOut(db: Db, key: string, now: number): Promise<void> {
	await db.rows(
		`UPDATE ${SCHEMA}.batches SET state = 'done', reason = $2, updated_at = $3
		WHERE consumer = $1 AND ${IS_OPEN} AND attempts = 0`,
		[key, LEFT_OUT, now],
	);
}
