import { addressKey } from '../core/address.ts';
import type { DeliveryEvent, WatchView } from '../core/event-contract.ts';
import { HttpError } from '../core/http-error.ts';
import type { ListName } from '../core/lists.ts';
import type { LetterOutcome } from '../core/letter-contract.ts';
import { letterOutcomeOf, reduced, statusOf } from '../core/records.ts';
import type { LetterRecord } from '../core/records.ts';
import type { Db, Transaction } from '../sql/engine.ts';
import type { Texts } from '../sql/log.ts';
import { columnOf, createTable, numbered, putInto } from '../sql/statements.ts';
import type { RowOf } from '../sql/statements.ts';
import { iso } from '../time/iso.ts';

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
	CREATE INDEX records_by_beginning ON records (began_at, id) WHERE began_at IS NOT NULL;
	CREATE INDEX records_by_contact ON records (contact) WHERE contact IS NOT NULL;
	CREATE INDEX records_expired ON records (expires_at) WHERE expires_at IS NOT NULL;
`;

export type RecordRow = RowOf<typeof KEY & typeof OTHERS>;

export const RECORDS: Texts = { table: 'records', key: 'id', text: 'record' };

export const putRecords = putInto('records', KEY, OTHERS);

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

/** What letters are counted by. */
export type Kind = [outcome: LetterOutcome, status: string | null, workflow: string | null];

function kindOf(record: LetterRecord): string {
	const workflow = record.origin?.workflow.id ?? null;
	return JSON.stringify([letterOutcomeOf(record), statusOf(record), workflow] satisfies Kind);
}

/** The row of a letter that is too old for the book: only what recognises a late repetition. */
export function reducedRow(row: RecordRow, now: number): RecordRow {
	const record = JSON.stringify(reduced(recordIn(row) as LetterRecord));
	return { ...row, ...NOT_LISTED, record, ended_at: null, expires_at: now + RECOGNISED_MS };
}

/** Of a letter of which nothing is known yet, if there is none. */
export async function readRecord(db: Db, messageId: string): Promise<RecordRow> {
	const text = 'SELECT * FROM records WHERE subject = $1';
	const [row = newRow(messageId)] = await db.rows<RecordRow>(text, [messageId]);
	return row;
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

/** Nothing but that it was erased. */
export function tombstone(subject: string, expires_at: number): RecordRow {
	// By its key the id of a letter without one is known to be erased, when it comes.
	return { ...newRow(subject), record: null, expires_at, claim: claimIn(subject) };
}

/**
 * A letter whose id the service has not said yet is stored under its claim and its place there. The key in
 * such a name; null for any other subject.
 */
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
