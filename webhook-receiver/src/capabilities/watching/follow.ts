import type { LetterToWatch } from '../../core/event-contract.ts';
import type { ListedRecord } from '../../core/listed.ts';
import { isWatched, watched } from '../../core/records.ts';
import type { WaitConsent } from '../../core/wait-contract.ts';
import type { Transaction } from '../../sql/engine.ts';
import type { Learn } from '../../log/learn.ts';
import {
	inList,
	isErased,
	lockRecords,
	messageErased,
	newRow,
	recordIn,
	withRecord,
} from '../../log/record-rows.ts';
import type { RecordRow } from '../../log/record-rows.ts';

/**
 * Begins to watch letters, or adds to what is known of those already watched; returns how many of each.
 *
 * @throws HttpError 410 `message-erased`, and watches none
 */
export async function follow(
	tx: Transaction,
	learn: Learn,
	letters: readonly LetterToWatch[],
	now: number,
): Promise<{ created: number; existing: number }> {
	const ids = letters.map(({ messageId }) => messageId);
	const rows = await lockRecords(tx, ids);
	const erased = [...rows.values()].filter(isErased).map(({ subject }) => subject);
	if (erased.length > 0) throw messageErased(erased);
	let created = 0;
	const changes = letters.map(({ messageId, ...told }) => {
		const before = rows.get(messageId) ?? null;
		const row = watchedRow(before ?? newRow(messageId), now, told);
		if (isWatchedIn(row) && !(before && isWatchedIn(before))) created++;
		return { before, row };
	});
	await learn(tx, changes, now);
	if (created > 0) tx.notices.add('due');
	return { created, existing: letters.length - created };
}

/** The row of a letter that is watched from now on, unless nothing more can come of it. */
export function watchedRow(
	row: RecordRow,
	now: number,
	told: Omit<LetterToWatch, 'messageId'> = {},
): RecordRow {
	if (isErased(row)) return row;
	return { ...withRecord(row, watched(recordIn(row), told, now), now), expires_at: null };
}

function isWatchedIn(row: RecordRow): boolean {
	const record = recordIn(row);
	return record !== null && isWatched(record);
}

/** How long a consent or customer that is no longer listed is kept: it may return. */
const REMEMBERED_MS = 30 * 24 * 3_600_000;

/** The row of a consent or customer. */
export function listedRow(
	before: RecordRow | null,
	subject: string,
	contact: string,
	record: ListedRecord,
): RecordRow {
	const expires_at = Math.max(before?.expires_at ?? 0, record.seenAt + REMEMBERED_MS);
	return { ...newRow(subject), record: JSON.stringify(record), contact, expires_at };
}

/**
 * Notes of consents that are awaited whose they are, where nothing is known of them: the list shows the newest
 * of a contact alone (rule CONS-07), and one that took its place answers for it.
 */
export async function expectConsents(
	tx: Transaction,
	learn: Learn,
	consents: readonly WaitConsent[],
	now: number,
): Promise<void> {
	const expected = consents.flatMap(({ consentId, contact }) =>
		contact === undefined ? [] : [{ subject: inList('consents', consentId), contact }],
	);
	const known = await lockRecords(
		tx,
		expected.map(({ subject }) => subject),
	);
	const changes = expected
		.filter(({ subject }) => !known.has(subject))
		.map(({ subject, contact }) => {
			const record = { contact, changes: [], seenAt: now };
			return { before: null, row: listedRow(null, subject, inList('consents', contact), record) };
		});
	await learn(tx, changes, now);
}
