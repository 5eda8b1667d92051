import type { Readable } from 'node:stream';
import type { NewEvent } from '../core/changes.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import { HttpError } from '../core/http-error.ts';

// The shape of a row is the query's business.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Row = any;

/** Lists are passed to `= ANY($n)`, lists of records to `json_to_recordset($n)`. */
export type Value = string | number | boolean | null | readonly unknown[];

/**
 * One statement at a time, in PostgreSQL's SQL. SQLite gets a translation, so use only what
 * `engines/sqlite/engine.ts` translates.
 */
export interface Db {
	/** @param each does the same for one record of the only value, for a database without round trips */
	rows<R = Row>(text: string, values?: readonly Value[], each?: ForEach): Promise<R[]>;
}

/** A statement whose values are these columns of a record, in this order. */
export interface ForEach {
	text: string;
	columns: readonly string[];
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

	/** Removes deleted data from the database's own files, as far as the database can at once. */
	scrub(): Promise<void>;
	/**
	 * Removes the rest, if anything was scrubbed since the last time.
	 *
	 * @returns for how long nothing else ran, in milliseconds
	 */
	rewrite(): Promise<number>;

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

/**
 * A reason to look, as one text, since receivers tell each other too. `due`: a loop may have something to do.
 * `wants`: somebody wants other lists than before. A queue is that of a consumer's batches, or of an n8n's
 * wake-ups.
 */
type Notice = 'due' | 'wants' | `queue ${string}`;

/** What a transaction has to tell listeners. */
export class Notices extends Set<Notice> {
	/** In log order. */
	readonly events: DeliveryEvent[] = [];

	/** Returns whether there was any. */
	tell(listener: StoreListener): boolean {
		if (this.events.length > 0) listener.onEvents(this.events);
		for (const notice of this) pass(notice, listener);
		return this.events.length + this.size > 0;
	}
}

/** Does nothing with a notice that only a newer receiver understands. */
export function pass(notice: string, listener: StoreListener): void {
	const [kind, name = ''] = notice.split(' ');
	if (kind === 'due') listener.onDue();
	if (kind === 'wants') listener.onWants();
	if (kind === 'queue') listener.onQueue(name);
}

/**
 * What a database tells its receivers, whichever receiver caused it: at commit, or just before, so that a
 * look right away joins the same commit. A notification is only a reason to look: if the commit fails, the
 * look finds nothing.
 */
export interface StoreListener {
	/** New events, in log order. */
	onEvents(events: readonly DeliveryEvent[]): void;
	/** Something may be due in a queue: a batch was added, or there is room for one. */
	onQueue(key: string): void;
	onDue(): void;
	onWants(): void;
	/** Notices of other receivers may have been missed. Only those of events can't be. */
	onMissed(): void;
	/** Whether anything waits for notices, so that they must not be late. */
	isWaiting(): boolean;
}

/** What one receiver at a time does on a database. */
export interface Leader {
	/** From now on this receiver does it. */
	begin(): void;
	/** Another one may do it: its connection broke. */
	end(): void;
}
