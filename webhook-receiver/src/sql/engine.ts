import type { Readable } from 'node:stream';
import type { NewEvent } from '../core/changes.ts';
import { HttpError } from '../core/http-error.ts';
import type { Leader, Notices, StoreListener } from './notices.ts';

// The shape of a row is the query's business.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Row = any;

/** Lists are passed to `= ANY($n)`, lists of records to `json_to_recordset($n)`. */
export type Value = string | number | boolean | null | readonly unknown[];

/**
 * One statement at a time, in PostgreSQL's SQL. SQLite gets a translation, so use only what
 * `sqlite/translate.ts` covers.
 */
export interface Db {
	rows<R = Row>(text: string, values?: readonly Value[]): Promise<R[]>;
}

/** What a transaction does, and has to tell listeners. */
export interface Transaction extends Db {
	readonly notices: Notices;
}

/** A transaction in turn. Only it appends: the log is read in the order of its sequences (log.ts). */
export interface Turn extends Transaction {
	/** Assigns sequences to the events and stores them in the given order. */
	append(events: readonly NewEvent[]): Promise<void>;
}

/** A database. All differences between SQLite and PostgreSQL sit behind this interface. */
export interface Engine extends Db {
	/** All or nothing; resolves once committed. Rejects with `StoreUnavailable` if it can't. */
	transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;

	/**
	 * Like `transaction`, but these run one at a time, whichever receiver runs them, and never wait
	 * for others to end.
	 */
	inTurn<T>(work: (tx: Turn) => Promise<T>): Promise<T>;

	/** Like `inTurn`, for what the service sends: before all else of this receiver that waits for a turn. */
	intake<T>(work: (tx: Turn) => Promise<T>): Promise<T>;

	/** Removes deleted data from the database's own files, as far as the database can. */
	scrub(): Promise<void>;

	/** From now on reports what is committed, on other receivers of the same database too. */
	listen(listener: StoreListener): void;
	/**
	 * Takes the lead as soon as no other receiver on this database has it. Two may believe for a moment that
	 * they have it, when a connection breaks unseen, so what a leader does must hold when done twice.
	 */
	lead(leader: Leader): void;
	/** Commits something as an event is; rejects when the database can't. */
	check(): Promise<void>;
	space(): Promise<StoreSpace>;
	backup(): Promise<Backup | null>;
	close(): Promise<void>;
}

/** A copy of the database file; to be read to its end or destroyed. */
export interface Backup {
	size: number;
	content: Readable;
}

export interface StoreSpace {
	/** What the store takes on disk, in bytes. */
	used: number;
	/** What is left on the volume of its file, in bytes; null where only the database server knows. */
	free: number | null;
}

/** The store can't commit (disk full, database gone): nothing was accepted, try again later. */
export class StoreUnavailable extends HttpError {
	constructor(cause: unknown) {
		const message = 'The store is not able to write at the moment.';
		super(503, 'store-unavailable', message, undefined, { cause });
		this.name = 'StoreUnavailable';
	}
}
