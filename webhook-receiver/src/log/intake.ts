import type { NewEvent } from '../core/changes.ts';
import { CONTENT_COUNTS_MS } from '../core/mark.ts';
import type { Mark } from '../core/mark.ts';
import { observe, reduced } from '../core/records.ts';
import type { LetterRecord } from '../core/records.ts';
import { Batcher } from '../sql/batcher.ts';
import type { Engine, Transaction, Turn } from '../sql/engine.ts';
import { newEventId } from '../sql/new-id.ts';
import { columnOf } from '../sql/statements.ts';
import { CLOCK_MARGIN_MS } from '../time/set-back.ts';
import type { Learn } from './learn.ts';
import {
	RECOGNISED_MS,
	isErased,
	lockRecords,
	mentionsOfErased,
	newRow,
	recordIn,
	withRecord,
} from './record-rows.ts';
import type { RecordRow } from './record-rows.ts';

/** By what events without a message are recognised. */
export const DUPLICATE_KEYS_TABLE = `
	CREATE TABLE duplicate_keys (key text PRIMARY KEY, expires_at bigint NOT NULL);
	CREATE INDEX duplicate_keys_by_age ON duplicate_keys (expires_at);
`;

/** An event about to be accepted; the store assigns its id and sequence. */
interface Candidate {
	event: Omit<NewEvent, 'id'>;
	/** What it is recognised by. */
	mark: Mark;
}

interface IngestResult {
	accepted: number;
	duplicates: number;
}

/** Maximum number of events stored in one transaction, unless a single request has more. */
const MOST_TOGETHER = 500;

/** A larger request counts as several events: what is stored at once holds up everything else. */
const BYTES_OF_EVENT = 8_000;

/** Requests in, many in one transaction: a resolved promise means a durable commit. */
export type Intake = Batcher<Arrival, IngestResult>;

export function createIntake(database: Engine, learn: Learn): Intake {
	return new Batcher(
		(arrivals) => database.intake((tx) => store(tx, learn, arrivals)),
		MOST_TOGETHER,
		({ candidates, bytes }) => Math.max(candidates.length, bytes / BYTES_OF_EVENT, 1),
	);
}

/** The events of one request. */
interface Arrival {
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

/**
 * Stores the events of several requests. An event of a change that the letter's record has counts as a
 * duplicate.
 */
async function store(
	tx: Turn,
	learn: Learn,
	arrivals: readonly Arrival[],
): Promise<IngestResult[]> {
	const all = arrivals.flatMap(({ candidates, now }, arrival) =>
		candidates.map((candidate): Arrived => ({ ...candidate, now, arrival })),
	);
	const ids = new Set(all.map(({ event }) => event.messageId).filter((id) => id !== null));
	const strays = all.filter(({ event }) => event.messageId === null);
	const [rows, unused] = await Promise.all([lockRecords(tx, [...ids]), noteKeys(tx, strays)]);
	const now = Math.max(...arrivals.map((one) => one.now));
	const known = new Map<string, Folded>();
	for (const [id, row] of rows) known.set(id, { row, record: recordIn(row) });
	const results = arrivals.map((): IngestResult => ({ accepted: 0, duplicates: 0 }));
	const fresh = all.flatMap((one) => {
		const events = one.event.messageId === null ? strayEvent(unused, one) : observeIn(known, one);
		(results[one.arrival] as IngestResult)[events.length > 0 ? 'accepted' : 'duplicates']++;
		return events;
	});
	const changes = [...known.values()]
		.map(({ row, record }) => {
			const before = rows.get(row.subject) ?? null;
			return { before, row: record === null ? row : asStored(row, record, now) };
		})
		.filter(({ before, row }) => row.record !== (before === null ? '' : before.record));
	await Promise.all([learn(tx, changes, now), tx.append(fresh)]);
	return results;
}

/** What was reduced stays out of the book. */
function asStored(row: RecordRow, record: LetterRecord, now: number): RecordRow {
	return row.expires_at === null
		? withRecord(row, record, now)
		: { ...row, record: JSON.stringify(record) };
}

function strayEvent(unused: ReadonlySet<Arrived>, one: Arrived): NewEvent[] {
	return unused.has(one) ? [{ id: newEventId(one.now), ...one.event }] : [];
}

/** A letter's record is read and written once for all events of a transaction. */
interface Folded {
	row: RecordRow;
	record: LetterRecord | null;
}

/** Returns the event if it is new. */
function observeIn(known: Map<string, Folded>, { event, mark, now }: Arrived): NewEvent[] {
	const id = event.messageId as string;
	const { row, record } = known.get(id) ?? { row: newRow(id), record: null };
	if (isErased(row)) return [];
	const next = observe(record, { kind: 'webhook', event, mark }, now, newEventId);
	// A repetition tells a record that was reduced nothing more.
	const isReduced = row.expires_at !== null && next.events.length === 0;
	known.set(
		id,
		isReduced
			? { row, record: reduced(next.record) }
			: { row: { ...row, expires_at: null }, record: next.record },
	);
	return next.events;
}

/** Keeps events of no letter whose key is not in use, and the first of several with the same. */
async function noteKeys(tx: Transaction, strays: readonly Arrived[]): Promise<Set<Arrived>> {
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
			Array.from(byKey, ([key, { mark, now }]) => ({
				key,
				expires_at: now + (mark.byContent ? CONTENT_COUNTS_MS : RECOGNISED_MS),
			})),
			Math.max(...strays.map(({ now }) => now)),
		],
	);
	return new Set(taken.map((key) => byKey.get(key) as Arrived));
}
