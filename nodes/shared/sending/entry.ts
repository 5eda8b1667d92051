import type { IDataObject } from 'n8n-workflow';

import type { Blameless, SentEntry } from '../atomicFailure';
import type { ItemError } from '../perItem';
import type { ServiceRequest } from '../service';
import type { Failure } from '../serviceError';
import type { RefusalScope } from './refusal';

/**
 * The smallest thing with a verdict of its own: a letter, a customer, a recipient who is asked for
 * consent. An input item gives one or several.
 */
export interface Entry {
	itemIndex: number;
	/** It goes out once under this key, also over several executions; null or left out: no key. */
	onceKey?: string | null;
}

/**
 * What became of an entry:
 * - `sent`: the interface's own answer says so.
 * - `not sent`: it surely did not leave, or the service said no.
 * - `unknown`: it may have been carried out, and no clear answer came.
 */
export type Verdict = 'sent' | 'not sent' | 'unknown';

export type EntryResult =
	/** `output` is the JSON of its output item. */
	| { verdict: 'sent'; output: IDataObject }
	| { verdict: Exclude<Verdict, 'sent'>; error: ItemError };

/** By input item, one for each of its entries; a single one where the item itself was wrong. */
export type Results = Map<number, EntryResult[]>;

/** A POST that costs money or writes to people, which the service carries out as a whole or not at all. */
export interface Posting<E extends Entry> {
	request(entries: E[]): ServiceRequest;
	/**
	 * The output of each entry, read from the interface's own answer. Null for any other answer, which
	 * leaves the outcome unknown.
	 */
	read(status: number, body: unknown, entries: E[]): IDataObject[] | null;
	/** What `read` looks for, in words. */
	expects: string;
	unclear: {
		/** What may be true when no clear answer came, such as "the letter may have been sent". */
		mayBe: string;
		/** What a user can do then. */
		advice: string;
	};
	/** What went out for an entry, in order, as the service may name it when it refuses. */
	named(entry: E): SentEntry[];
	/** Which refusals are about some of the entries. */
	scope: RefusalScope;
	/** What an entry is told that did not go because of others. */
	because(culprits: string, failure: Failure): Blameless;
	/** Adds what the operation knows of a failure. */
	explain?(failure: Failure, entries: E[]): Failure;
	/** What tells an entry from the item's others, for the details of its error. */
	details?(entry: E): IDataObject;
}

/** What to do about the unknown outcome of a request that a retry of the execution does not repeat. */
export const LOOK_FIRST =
	'The request left, and no clear answer came back: look in the dashboard of the service whether it was carried out. A retry of this execution will not repeat it; a new execution will.';
