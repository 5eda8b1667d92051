import type { ClaimChange, KeyedChange } from '../../core/claim-contract.ts';
import type { LetterToSend } from '../../core/letter-contract.ts';
import { leaving, sentAs } from '../../core/records.ts';
import type { LetterRecord, Origin } from '../../core/records.ts';
import { watchedRow } from '../../log/follow.ts';
import {
	beforeItsId,
	isErased,
	lockRecords,
	newRow,
	recordIn,
	removeRecords,
	tombstone,
	withRecord,
} from '../../log/record-rows.ts';
import type { Learn, RecordChange, RecordRow } from '../../log/record-rows.ts';
import { eraseFromLog } from '../../queue/remove.ts';
import type { Transaction } from '../../sql/engine.ts';

// What claims tell of letters. A letter's record begins before it leaves, under a name made of its key, and gets the
// service's id when its claim is settled.

/** What became of a key whose letters are in the book, and of them. */
export interface Settled {
	key: string;
	state: ClaimChange['state'];
	/** Why it is unknown. */
	reason: string | null;
	messageIds: readonly string[];
}

/** Where what claims tell goes. */
export interface Book {
	learn: Learn;
	/** Whether letters are watched once they were sent. */
	isWatching: boolean;
}

type Claiming = Extract<KeyedChange, { state: 'leaving' }>;

/** The letters of claims that were just taken, and the lease of those whose claim was renewed. */
export async function beginLetters(
	tx: Transaction,
	{ learn }: Book,
	claims: readonly Claiming[],
	now: number,
): Promise<void> {
	const all = claims.flatMap((claim) =>
		(claim.letter?.recipients ?? []).map((_, at) => ({
			subject: beforeItsId(claim.key, at),
			record: leaving(claim.letter as LetterToSend, claim.key, at, leaseUntil(claim, now)),
		})),
	);
	const known = await lockRecords(
		tx,
		all.map(({ subject }) => subject),
	);
	const taken = all.map(({ subject, record }) => {
		const before = known.get(subject) ?? null;
		return { before, row: withRecord(before ?? newRow(subject), record, now) };
	});
	// A renewal does not name its letters again.
	const others = claims.filter(({ letter }) => letter === undefined);
	const begun = await lockBegun(
		tx,
		others.map(({ key }) => key),
	);
	const renewed = others.flatMap((claim) => {
		const lease = { state: 'leaving', leaseUntil: leaseUntil(claim, now), reason: null } as const;
		return (begun.get(claim.key) ?? []).flatMap((row) => told(row, lease, now));
	});
	await learn(tx, [...taken, ...renewed], now);
}

function leaseUntil({ leaseSeconds }: Claiming, now: number): number {
	return now + leaseSeconds * 1000;
}

/**
 * Says what became of them: those that were sent go on under the service's ids, and are watched.
 *
 * @param begun the letters of these keys, as {@link lockBegun} has them
 */
export async function settleLetters(
	tx: Transaction,
	book: Book,
	settled: readonly Settled[],
	begun: ReadonlyMap<string, RecordRow[]>,
	now: number,
): Promise<void> {
	if (settled.length === 0) return;
	const ids = settled.flatMap(({ messageIds }) => messageIds);
	const known = await lockRecords(tx, ids);
	const gone: RecordRow[] = [];
	const renamed: Array<{ subject: string; message_id: string }> = [];
	const changes: RecordChange[] = [];
	for (const { key, state, reason, messageIds } of settled) {
		const rows = begun.get(key) ?? [];
		if (state === 'free') gone.push(...rows);
		else if (state !== 'sent')
			changes.push(...rows.flatMap((row) => told(row, { state, reason }, now)));
		else {
			for (const [at, messageId] of messageIds.entries()) {
				const own = messageIds.length === rows.length ? rows[at] : undefined;
				const present = known.get(messageId) ?? null;
				// It keeps its place in the book, unless its first event was faster.
				if (own && !present) renamed.push({ subject: own.subject, message_id: messageId });
				const sent = sentRow(messageId, present, own ?? rows[0], now);
				const before = present ?? own ?? null;
				changes.push({ before, row: book.isWatching ? watchedRow(sent, now) : sent });
			}
			const kept = new Set(renamed.map(({ subject }) => subject));
			gone.push(...rows.filter(({ subject }) => !kept.has(subject)));
		}
	}
	await removeRecords(tx, gone);
	if (renamed.length > 0) {
		await tx.rows(
			`UPDATE records SET subject = named.message_id
			FROM json_to_recordset($1) AS named (subject text, message_id text)
			WHERE records.subject = named.subject`,
			[renamed],
		);
	}
	await book.learn(tx, changes, now);
	// Events of a letter that was erased before it had an id may have been faster than the id.
	const messageIds = changes.flatMap(({ before, row }) =>
		before !== null && !isErased(before) && isErased(row) ? [row.subject] : [],
	);
	if (messageIds.length > 0) await eraseFromLog(tx, { messageIds, listed: [] }, []);
	if (book.isWatching && ids.length > 0) tx.notices.add('due');
}

/**
 * @param present what is known of the letter by its id
 * @param begun whose facts it takes over
 */
function sentRow(
	messageId: string,
	present: RecordRow | null,
	begun: RecordRow | undefined,
	now: number,
): RecordRow {
	// Of one that was erased nothing is stored, not even that it was sent.
	if (present !== null && isErased(present)) return present;
	if (begun !== undefined && isErased(begun)) return tombstone(messageId, begun.expires_at ?? now);
	const row = present ?? { ...(begun ?? newRow(messageId)), subject: messageId };
	const known = present === null ? null : recordIn(present);
	const record = sentAs(known, begun === undefined ? null : recordIn(begun));
	return { ...withRecord(row, record, now), expires_at: null };
}

/** Ids that arrive only now, of letters that were erased before they had one. */
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
export async function forgetPeople(
	tx: Transaction,
	{ learn }: Book,
	key: string,
	reason: string | null,
	now: number,
): Promise<void> {
	const rows = (await lockBegun(tx, [key])).get(key) ?? [];
	const nameless = { fileReference: null, customerReference: null };
	const changes = rows.flatMap((row) => told(row, { recipient: null, reason }, now, nameless));
	await learn(tx, changes, now);
}

/** The change that a claim's news makes to a letter; none to one that was erased. */
function told(
	row: RecordRow,
	origin: Partial<Origin>,
	now: number,
	others: Partial<LetterRecord> = {},
): RecordChange[] {
	const record = recordIn(row);
	if (record?.origin == null) return [];
	const next = { ...record, ...others, origin: { ...record.origin, ...origin } };
	return [{ before: row, row: withRecord(row, next, now) }];
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
