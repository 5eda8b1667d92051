import type { ClaimChange, KeyedChange } from '../core/claim-contract.ts';
import type { LetterToSend } from '../core/letter-contract.ts';
import { leaving, sentAs } from '../core/records.ts';
import type { LetterRecord } from '../core/records.ts';
import {
	beforeItsId,
	isErased,
	lockRecords,
	newRow,
	putRecords,
	recordIn,
	withRecord,
} from '../records/record-rows.ts';
import type { RecordRow } from '../records/record-rows.ts';
import type { Transaction } from '../store/engine.ts';
import { startWatch } from '../watch/watches.ts';
import type { WatchPace } from '../watch/pace.ts';

// What claims tell of letters. A letter's record begins before it leaves, under a name made of its key, and gets the
// service's id when its claim is settled.

/** What became of a key whose letters are in the book, and of them. */
export interface Settled {
	key: string;
	state: ClaimChange['state'];
	messageIds: readonly string[];
}

/** The letters of claims that were just taken. */
export async function beginLetters(
	tx: Transaction,
	claims: ReadonlyArray<Extract<KeyedChange, { state: 'leaving' }>>,
	now: number,
): Promise<void> {
	if (claims.every(({ letter }) => letter === undefined)) return;
	const all = claims.flatMap(({ key, letter }) =>
		(letter?.recipients ?? []).map((_, at) => ({
			subject: beforeItsId(key, at),
			record: leaving(letter as LetterToSend, key, at),
		})),
	);
	const before = await lockRecords(
		tx,
		all.map(({ subject }) => subject),
	);
	const rows = all.map(({ subject, record }) =>
		withRecord(before.get(subject) ?? newRow(subject), record, now),
	);
	await putRecords(tx, rows);
}

/**
 * Says what became of them: those that were sent go on under the service's ids, and are watched.
 *
 * @param begun the letters of these keys, as {@link lockBegun} has them
 * @param pace null where nothing is watched
 */
export async function settleLetters(
	tx: Transaction,
	settled: readonly Settled[],
	begun: ReadonlyMap<string, RecordRow[]>,
	now: number,
	pace: WatchPace | null,
): Promise<void> {
	if (settled.length === 0) return;
	const ids = settled.flatMap(({ messageIds }) => messageIds);
	const known = await lockRecords(tx, ids);
	const gone: string[] = [];
	const renamed: Array<{ subject: string; message_id: string }> = [];
	const next: RecordRow[] = [];
	for (const { key, state, messageIds } of settled) {
		const rows = begun.get(key) ?? [];
		if (state === 'free') gone.push(...rows.map(({ subject }) => subject));
		else if (state !== 'sent') next.push(...rows.map((row) => withState(row, state, now)));
		else {
			for (const [at, messageId] of messageIds.entries()) {
				const own = messageIds.length === rows.length ? rows[at] : undefined;
				const present = known.get(messageId);
				// It keeps its place in the book, unless its first event was faster.
				if (own && !present) renamed.push({ subject: own.subject, message_id: messageId });
				const row = present ?? { ...(own ?? newRow(messageId)), subject: messageId };
				const sent = sentRow(row, own ?? rows[0], present, now);
				next.push(pace === null ? sent : startWatch(sent, now, pace));
			}
			const kept = new Set(renamed.map(({ subject }) => subject));
			gone.push(...rows.map(({ subject }) => subject).filter((subject) => !kept.has(subject)));
		}
	}
	if (gone.length > 0) await tx.rows('DELETE FROM records WHERE subject = ANY($1)', [gone]);
	if (renamed.length > 0) {
		await tx.rows(
			`UPDATE records SET subject = named.message_id
			FROM json_to_recordset($1) AS named (subject text, message_id text)
			WHERE records.subject = named.subject`,
			[renamed],
		);
	}
	await putRecords(tx, next);
	if (pace !== null && ids.length > 0) tx.notices.add('polls');
}

/** @param from whose facts it takes over */
function sentRow(
	row: RecordRow,
	from: RecordRow | undefined,
	present: RecordRow | undefined,
	now: number,
): RecordRow {
	// Of one that was erased nothing is stored, not even that it was sent.
	if (isErased(row)) return row;
	if (from !== undefined && isErased(from)) {
		return { ...newRow(row.subject), record: null, expires_at: from.expires_at };
	}
	const known = present ? recordIn(present) : null;
	const record = sentAs(known, from === undefined ? null : recordIn(from));
	return { ...withRecord(row, record, now), expires_at: null };
}

/** Ids that are only now told, of letters that were erased before they had one. */
export function erasedWithoutId(
	begun: ReadonlyMap<string, RecordRow[]>,
	changes: readonly KeyedChange[],
): string[] {
	return changes.flatMap((one) => {
		const ids = (one.state === 'sent' && one.messageIds) || [];
		return begun.get(one.key)?.some(isErased) ? ids : [];
	});
}

/** Of the letters under a key whose fate nobody knows nothing stays that names a person. */
export async function forgetPeople(tx: Transaction, key: string, now: number): Promise<void> {
	const rows = (await lockBegun(tx, [key])).get(key) ?? [];
	const next = rows.flatMap((row) => {
		const record = recordIn(row);
		if (record?.origin == null) return [];
		const origin = { ...record.origin, recipient: null };
		const nameless = { ...record, origin, fileReference: null, customerReference: null };
		return [withRecord(row, nameless, now)];
	});
	await putRecords(tx, next);
}

function withState(row: RecordRow, state: 'leaving' | 'unknown', now: number): RecordRow {
	const record = recordIn(row);
	if (record?.origin == null) return row;
	const next: LetterRecord = { ...record, origin: { ...record.origin, state } };
	return withRecord(row, next, now);
}

/** By key, those without an id, in the order of their recipients. */
export async function lockBegun(
	tx: Transaction,
	keys: readonly string[],
): Promise<Map<string, RecordRow[]>> {
	if (keys.length === 0) return new Map();
	const rows = await tx.rows<RecordRow>(
		`SELECT * FROM records WHERE claim = ANY($1) AND strpos(subject, 'claim ') = 1
		ORDER BY subject FOR UPDATE`,
		[keys],
	);
	return Map.groupBy(rows, ({ claim }) => String(claim));
}
