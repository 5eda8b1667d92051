import type { StoreListener } from '../pull/consumer-store.ts';
import type { News } from './news.ts';
import type { Candidate } from './store.ts';

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
	rows(text: string, values?: readonly Value[]): Promise<Row[]>;
}

/** What a transaction does, and has to tell listeners. */
export interface Transaction extends Db {
	readonly news: News;
}

/** Purpose of a transaction: `append` adds to the event log. */
export type Purpose = 'append' | 'other';

/** A database. All differences between SQLite and PostgreSQL sit behind this interface. */
export interface Engine extends Db {
	readonly log: EventLog;

	/** All or nothing; resolves once committed. Rejects with `StoreUnavailable` if it can't. */
	transaction<T>(work: (tx: Transaction) => Promise<T>, purpose?: Purpose): Promise<T>;

	/** Groups whatever arrives together, ahead of all else; an item that fails fails no other. */
	gather<In, Out>(
		work: (tx: Transaction, items: readonly In[]) => Promise<Out[]>,
	): (item: In) => Promise<Out>;

	/** From now on reports what is committed, on other receivers of the same database too. */
	listen(listener: StoreListener): void;
	/** Rejects when the database can't write. */
	check(): Promise<void>;
	close(): Promise<void>;
}

/** A reader's position in the log: everything up to here was read. */
export interface Place {
	/** PostgreSQL only, whose log is in transaction order; empty for SQLite. */
	xid: string;
	position: number;
	/** A PostgreSQL snapshot; what it sees as committed was read too. Empty for SQLite. */
	began: string;
}

export interface LogRow extends Pick<Place, 'xid'> {
	sequence: number;
	id: string;
	/** The event as JSON, without its sequence; null if its type was not asked for. */
	event: string | null;
}

/** The event log, in reading order. */
export interface EventLog {
	/** SQL condition on a row of `events`: the consumer `c` has not reached it yet. */
	readonly isBeyond: string;
	/** Columns that order `events`. */
	readonly order: string;

	/** Assigns ids and sequences to the events and stores them in the given order. */
	append(tx: Transaction, fresh: readonly Fresh[]): Promise<void>;
	/** Events after a place, as far as readable; `types` is null for all. */
	after(db: Db, place: Place, types: readonly string[] | null, limit: number): Promise<LogRow[]>;
	end(db: Db): Promise<Place>;
	/** The place just before the events received from then on. */
	startAt(db: Db, time: number): Promise<Place>;
}

export interface Fresh {
	event: Candidate['event'];
	now: number;
}
