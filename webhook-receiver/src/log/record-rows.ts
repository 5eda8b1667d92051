import { addressKey } from '../core/address.ts';
import type { DeliveryEvent, WatchView } from '../core/event-contract.ts';
import { HttpError } from '../core/http-error.ts';
import type { ListName } from '../core/lists.ts';
import { letterOutcomeOf, reduced, statusOf } from '../core/records.ts';
import type { LetterRecord } from '../core/records.ts';
import type { Db, Transaction } from '../sql/engine.ts';
import type { Texts } from '../sql/log.ts';
import {
	CLEAN_AT_ONCE,
	columnOf,
	createTable,
	numbered,
	putInto,
	removeSome,
} from '../sql/statements.ts';
import type { Cleaning, RowOf } from '../sql/statements.ts';
import { iso } from '../time/iso.ts';
import { countLetters, kindOf } from './letter-counts.ts';

// What is known of letters, consents and customers, as stored. A letter that is watched has a next poll; one
// that was erased is a tombstone, which has only the id that the service gave it.

const KEY = {
	/** The id of a letter; the list and the id of a consent or customer. */
	subject: 'text',
} as const;
const OTHERS = {
	/** As JSON (core/records.ts, core/listed.ts); null for one that was erased. */
	record: 'text?',
	/** Who was asked for a consent, or a customer; else null. Of two of one contact, the newer has the higher id. */
	contact: 'text?',
	/** Of one that is watched. */
	next_poll_at: 'bigint?',
	/** When its watch ended. */
	ended_at: 'bigint?',
	/** Until when to keep what was erased, reduced to what recognises a repetition, or listed no more; else null. */
	expires_at: 'bigint?',
	// Of a letter, what the book finds it by, as its record says.
	began_at: 'bigint?',
	claim: 'text?',
	recipient: 'text?',
	file_reference: 'text?',
	customer_reference: 'text?',
	status: 'text?',
	outcome: 'text?',
	/** Its outcome, status and workflow, as JSON ({@link kindOf}): what letters are counted by. */
	kind: 'text?',
	/** While it leaves, until when its sender is heard of, or else is silent. */
	lease_until: 'bigint?',
} as const;

export const RECORDS_TABLE = `
	${createTable('records', numbered('id'), { ...KEY, ...OTHERS }, 'UNIQUE (subject)')}
	-- The book is in this order. With the kind, letters are chosen and counted by the index alone.
	CREATE INDEX records_by_beginning ON records (began_at, id) WHERE began_at IS NOT NULL;
	CREATE INDEX records_by_kind ON records (kind, began_at, id) WHERE kind IS NOT NULL;
	CREATE INDEX records_by_recipient ON records (recipient, began_at, id, kind)
		WHERE recipient IS NOT NULL;
	CREATE INDEX records_by_file ON records (file_reference, began_at, id, kind)
		WHERE file_reference IS NOT NULL;
	CREATE INDEX records_by_customer ON records (customer_reference, began_at, id, kind)
		WHERE customer_reference IS NOT NULL;
	CREATE INDEX records_by_claim ON records (claim) WHERE claim IS NOT NULL;
	CREATE INDEX records_by_contact ON records (contact) WHERE contact IS NOT NULL;
	CREATE INDEX records_due ON records (next_poll_at) WHERE next_poll_at IS NOT NULL;
	CREATE INDEX records_watched ON records (id)
		WHERE next_poll_at IS NOT NULL OR ended_at IS NOT NULL;
	CREATE INDEX records_expired ON records (expires_at) WHERE expires_at IS NOT NULL;
`;

export type RecordRow = RowOf<typeof KEY & typeof OTHERS>;

export const RECORDS: Texts = { table: 'records', key: 'id', text: 'record' };

const putRecords = putInto('records', KEY, OTHERS);

/** A record that changes, in the transaction that has locked it. */
export interface RecordChange {
	/** Null for one that is new. */
	before: RecordRow | null;
	row: RecordRow;
}

export async function storeRecords(db: Db, changes: readonly RecordChange[]): Promise<void> {
	// Of one that changes twice, the last row is stored.
	const all = [...new Map(changes.map((one) => [one.row.subject, one])).values()];
	const rows = all.map(({ row }) => row);
	await Promise.all([putRecords(db, rows), countLetters(db, all)]);
}

export async function removeRecords(db: Db, rows: readonly RecordRow[]): Promise<void> {
	if (rows.length === 0) return;
	const subjects = rows.map(({ subject }) => subject);
	await db.rows('DELETE FROM records WHERE subject = ANY($1)', [subjects]);
	await countLetters(
		db,
		rows.map((before) => ({ before, row: null })),
	);
}

/** What a record of a consent or customer is stored under: the other list may have the same ids. */
export function inList(list: ListName, id: string): string {
	return `${list} ${id}`;
}

/** The service's own id. */
export function idOf(subject: string): string {
	return subject.slice(subject.indexOf(' ') + 1);
}

/**
 * How long what comes again is recognised: a letter's changes after everything else of it is gone, an
 * event of no letter, a letter that was erased.
 */
export const RECOGNISED_MS = 366 * 24 * 3_600_000;

/** Of a letter of which nothing is known yet. */
export function newRow(subject: string): RecordRow {
	return {
		subject,
		record: '',
		contact: null,
		next_poll_at: null,
		ended_at: null,
		expires_at: null,
		...NOT_LISTED,
	};
}

const NOT_LISTED = {
	began_at: null,
	claim: null,
	recipient: null,
	file_reference: null,
	customer_reference: null,
	status: null,
	outcome: null,
	kind: null,
	lease_until: null,
};

/** The row with this record, and all that the book finds the letter by. */
export function withRecord<Row extends RecordRow>(
	row: Row,
	record: LetterRecord,
	now: number,
): Row {
	const { origin, fileReference, customerReference } = record;
	return {
		...row,
		record: JSON.stringify(record),
		began_at: row.began_at ?? now,
		claim: origin?.claim ?? null,
		// As its sender may write it.
		recipient: origin?.recipient == null ? null : addressKey(origin.recipient),
		file_reference: fileReference,
		customer_reference: customerReference,
		status: statusOf(record),
		outcome: letterOutcomeOf(record),
		kind: kindOf(record),
		lease_until: origin?.state === 'leaving' ? origin.leaseUntil : null,
	};
}

/** What is known of letters. */
export function recordsIn(db: Db) {
	return {
		async get(messageId: string): Promise<{
			/** Null if nothing is known of the letter, or it was erased. */
			record: LetterRecord | null;
			watch: WatchView | null;
			/** Until when nothing is stored of it; null unless it was erased. */
			erasedUntil: number | null;
		}> {
			const text = 'SELECT * FROM records WHERE subject = $1';
			const [row = newRow(messageId)] = await db.rows<RecordRow>(text, [messageId]);
			const erasedUntil = isErased(row) ? row.expires_at : null;
			return { record: recordIn(row), watch: watchView(row), erasedUntil };
		},
	};
}

/** Null if nothing is known of the letter, or it was erased. */
export function recordIn<Known = LetterRecord>({ record }: Pick<RecordRow, 'record'>) {
	return record ? (JSON.parse(record) as Known) : null;
}

export function isErased({ record }: Pick<RecordRow, 'record'>): boolean {
	return record === null;
}

/** The public view of a watch; null if the letter is not watched. */
export function watchView(row: RecordRow): WatchView | null {
	const record = recordIn(row);
	if (record === null || record.watch === null) return null;
	const { messageType, fileReference, customerReference, changes, watch } = record;
	return {
		messageId: row.subject,
		messageType,
		fileReference,
		customerReference,
		status: statusOf(record) ?? watch.polled,
		changedAt: iso(changes.at(-1)?.at ?? null),
		createdAt: iso(watch.createdAt),
		polledAt: iso(watch.polledAt),
		nextPollAt: iso(row.next_poll_at),
		problem: watch.problem,
		endedAt: iso(row.ended_at),
		endReason: watch.endReason,
	};
}

/** The records of these letters, consents or customers, locked until the transaction ends. */
export async function lockRecords(
	tx: Transaction,
	subjects: readonly string[],
): Promise<Map<string, RecordRow>> {
	if (subjects.length === 0) return new Map();
	// In a fixed order, so that two receivers rarely block each other.
	const rows = await tx.rows<RecordRow>(
		'SELECT * FROM records WHERE subject = ANY($1) ORDER BY subject FOR UPDATE',
		[subjects],
	);
	return new Map(rows.map((row) => [row.subject, row]));
}

/**
 * Reduces the records of letters that are too old for the book, and are not watched any more, to what recognises a
 * late repetition. Removes what has been kept for long enough. Returns whether there may be more.
 */
export async function cleanRecords(db: Db, { lettersBefore, now }: Cleaning): Promise<boolean> {
	const old = await db.rows<RecordRow>(
		`SELECT * FROM records WHERE began_at < $1 AND next_poll_at IS NULL
		LIMIT ${CLEAN_AT_ONCE} FOR UPDATE SKIP LOCKED`,
		[lettersBefore],
	);
	const changes = old.map((row) => {
		const record = JSON.stringify(reduced(recordIn(row) as LetterRecord));
		const expires_at = now + RECOGNISED_MS;
		return { before: row, row: { ...row, ...NOT_LISTED, record, ended_at: null, expires_at } };
	});
	await storeRecords(db, changes);
	await db.rows('DELETE FROM letter_counts WHERE count = 0');
	const where = 'expires_at < $1 AND contact IS NULL';
	const expired = await removeSome(db, { table: 'records', key: 'id', where }, now);
	return Math.max(old.length, expired.length) === CLEAN_AT_ONCE;
}

/** Nothing but that it was erased. */
export function tombstone(subject: string, expires_at: number): RecordRow {
	// By its key the id of a letter without one is known to be erased, when it comes.
	return { ...newRow(subject), record: null, expires_at, claim: claimIn(subject) };
}

/** What a letter is stored under as long as the service has given it no id that is known. */
export function beforeItsId(key: string, at: number): string {
	return `claim ${key} ${String(at).padStart(4, '0')}`;
}

/** The key in such a name; null for any other subject. */
export function claimIn(subject: string): string | null {
	const [kind, key] = subject.split(' ');
	return kind === 'claim' && key !== undefined ? key : null;
}

/** Which of these messages were erased. */
export async function erasedOf(db: Db, messageIds: readonly string[]): Promise<string[]> {
	if (messageIds.length === 0) return [];
	return columnOf(
		db,
		`SELECT subject FROM records WHERE subject = ANY($1) AND record IS NULL
		ORDER BY subject`,
		[messageIds],
	);
}

type Stored = Omit<DeliveryEvent, 'id' | 'sequence'>;

/** Those that have the number of an erased letter in them, without being about a letter. */
export async function mentionsOfErased<E extends { event: Stored }>(
	db: Db,
	arrived: readonly E[],
): Promise<Set<E>> {
	const numbers = arrived.map((one) => [one, messageIdsIn(one.event)] as const);
	const erased = new Set(await erasedOf(db, [...new Set(numbers.flatMap(([, all]) => all))]));
	const mentions = numbers.filter(([, all]) => all.some((number) => erased.has(number)));
	return new Set(mentions.map(([one]) => one));
}

/** All that looks like the id of a message. */
export function messageIdsIn(value: object): string[] {
	return JSON.stringify(value).match(/(?<!\d)\d{12}(?!\d)/g) ?? [];
}

/** The answer to who asks to follow letters that were erased. */
export function messageErased(erased: readonly string[]): HttpError {
	const message = `The receiver was told to erase ${erased.slice(0, 3).map(idOf).join(', ')}${
		erased.length > 3 ? ` and ${erased.length - 3} more` : ''
	}. It no longer follows what was erased: leave it out.`;
	return new HttpError(410, 'message-erased', message, { messageIds: erased.map(idOf) });
}

/** What capabilities do with each change, whatever brought it. */
export interface LearnHooks {
	/** The row with what the capability keeps in it. */
	amend?(change: RecordChange, now: number): RecordRow;
	/** In the same transaction. */
	changed?(tx: Transaction, rows: readonly RecordRow[]): Promise<void>;
}

/** Stores records that have changed. */
export type Learn = (
	tx: Transaction,
	changes: readonly RecordChange[],
	now: number,
) => Promise<void>;

/** @param capabilities complete when the first change comes */
export function learning(capabilities: readonly LearnHooks[]): Learn {
	return async (tx, changes, now) => {
		if (changes.length === 0) return;
		const amended = changes.map(({ before, row: given }) => {
			const row = capabilities.reduce(
				(next, { amend }) => amend?.({ before, row: next }, now) ?? next,
				given,
			);
			return { before, row };
		});
		const rows = amended.map(({ row }) => row);
		const told = capabilities.map(({ changed }) => changed?.(tx, rows));
		await Promise.all([storeRecords(tx, amended), ...told]);
	};
}
