import { observe } from '../core/records.ts';
import type { LetterRecord } from '../core/records.ts';
import { afterWebhook } from '../records/pace.ts';
import { CLOCK_MARGIN_MS } from '../time/set-back.ts';
import { appendEvents } from './append-events.ts';
import type { Engine, Transaction } from './engine.ts';
import {
	isErased,
	lockRecords,
	mentionsOfErased,
	newRow,
	putRecords,
	recordIn,
} from './record-rows.ts';
import type { RecordRow } from './record-rows.ts';
import { columnOf } from './statements.ts';
import type { Candidate, IngestResult } from './store.ts';

/** The events of one request. */
export interface Arrival {
	candidates: readonly Candidate[];
	now: number;
	/** How large the request was. */
	bytes: number;
}

interface Arrived extends Candidate {
	now: number;
	/** Index of the arrival it belongs to. */
	arrival: number;
}

/** How long an event of no letter is recognised by its id. */
const ID_COUNTS_MS = 366 * 24 * 3_600_000;

/** Stores the events of several requests. */
export async function takeIn(
	tx: Transaction,
	engine: Engine,
	arrivals: readonly Arrival[],
): Promise<IngestResult[]> {
	const all = arrivals.flatMap(({ candidates, now }, arrival) =>
		candidates.map((candidate): Arrived => ({ ...candidate, now, arrival })),
	);
	const ids = new Set(all.map(({ event }) => event.messageId).filter((id) => id !== null));
	const strays = all.filter(({ event }) => event.messageId === null);
	const [rows, unused] = await Promise.all([lockRecords(tx, [...ids]), takeKeys(tx, strays)]);
	const known = new Map<string, Known>();
	for (const [id, row] of rows) known.set(id, { row, record: recordIn(row) });
	const results = arrivals.map((): IngestResult => ({ accepted: 0, duplicates: 0 }));
	const fresh = all.filter((one) => {
		const isNew = one.event.messageId === null ? unused.has(one) : learn(known, one);
		(results[one.arrival] as IngestResult)[isNew ? 'accepted' : 'duplicates']++;
		return isNew;
	});
	const changed = [...known.values()]
		.map(({ row, record }) => ({ ...row, record: record && JSON.stringify(record) }))
		.filter(({ message_id, record }) => record !== (rows.get(message_id)?.record ?? ''));
	await Promise.all([putRecords(tx, changed), appendEvents(tx, engine, fresh)]);
	return results;
}

/** A letter's record is read and written once for all events of a transaction. */
interface Known {
	row: RecordRow;
	record: LetterRecord | null;
}

/** Returns whether the event is new. */
function learn(known: Map<string, Known>, { event, mark, windowMs, now }: Arrived): boolean {
	const id = event.messageId as string;
	const { row, record } = known.get(id) ?? { row: newRow(id), record: null };
	if (isErased(row)) return false;
	const next = observe(record, { kind: 'webhook', event, mark, windowMs }, now);
	const isNew = next.events.length > 0;
	known.set(id, {
		row: isNew ? afterChange(row, next.record, now) : row,
		record: next.record,
	});
	return isNew;
}

function afterChange(row: RecordRow, record: LetterRecord, now: number): RecordRow {
	if (row.next_poll_at === null) return { ...row, expires_at: null };
	const isOver = record.watch?.endReason !== null;
	return {
		...row,
		next_poll_at: isOver ? null : afterWebhook(record, row.next_poll_at, now),
		ended_at: isOver ? now : null,
		expires_at: null,
	};
}

/** Keeps events of no letter whose key is not in use, and the first of several with the same. */
async function takeKeys(tx: Transaction, strays: readonly Arrived[]): Promise<Set<Arrived>> {
	if (strays.length === 0) return new Set();
	const ofErased = await mentionsOfErased(tx, strays);
	const byKey = new Map<string, Arrived>();
	for (const one of strays) {
		if (!ofErased.has(one) && !byKey.has(one.mark.mark)) byKey.set(one.mark.mark, one);
	}
	const taken = await columnOf<string>(
		tx,
		`INSERT INTO duplicate_keys AS present (key, expires_at)
		SELECT key, expires_at FROM json_to_recordset($1) AS requested (key text, expires_at bigint)
		WHERE true
		-- One that outlasts a new one was noted before the clock was set back.
		ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at
			WHERE present.expires_at <= $2 OR present.expires_at - ${CLOCK_MARGIN_MS} > excluded.expires_at
		RETURNING key`,
		[
			Array.from(byKey, ([key, { mark, windowMs, now }]) => ({
				key,
				expires_at: now + (mark.byContent ? windowMs : ID_COUNTS_MS),
			})),
			Math.max(...strays.map(({ now }) => now)),
		],
	);
	return new Set(taken.map((key) => byKey.get(key) as Arrived));
}
