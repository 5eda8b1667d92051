import type { IDataObject, IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { LetterToSend } from '../../../webhook-receiver/src/core/letter-contract';
import type { ItemProblem } from '../fields/invalidItem';
import type { InspectedCredential } from '../transport/credential';
import type { ServiceRequest } from '../transport/service';
import type { Failure, RequestFailure } from '../transport/serviceError';
import type { ClaimKey } from './claims';

/** What an input item asks for, which succeeds or fails whole. */
export interface Entry {
	itemIndex: number;
	/** The key under which it is sent once, across executions too; without one, the ledger's. */
	once?: ClaimKey;
	/** What the user should look at, though the service would take it. */
	warnings?: ItemProblem[];
}

/** What became of an entry. */
export type Fate =
	/** Its request is about to go out or has gone out; more is not known. */
	| { state: 'leaving' }
	/** The interface's own answer says so. `outputs` are the JSON of its output items. */
	| { state: 'sent'; outputs: IDataObject[] }
	/**
	 * `unknown`: the service may have carried it out, but gave no clear answer. `not sent`: it certainly was
	 * not sent, or the service rejected it.
	 */
	| { state: 'unknown' | 'not sent'; error: Failure };

export type Verdict = Exclude<Fate, { state: 'leaving' }>;

/** By input item. */
export type Verdicts = Map<number, Verdict>;

/** What a receiver is told of letters, besides what sends them. */
export type LetterFacts = Pick<LetterToSend, 'recipients'> &
	Partial<Pick<LetterToSend, 'type' | 'sender' | 'fileReference' | 'customerReference'>>;

/**
 * A POST that costs money or writes to people; the service carries it out completely or not at all. It is of one
 * entry, unless {@link SendingSettings.groups} put several together.
 */
export interface Posting<E extends Entry> {
	request(entries: E[]): ServiceRequest;
	/**
	 * The outputs of each entry, read from the interface's own answer. Null for any other answer,
	 * which leaves the outcome unknown.
	 */
	read(status: number, body: unknown, entries: E[]): IDataObject[][] | null;
	/** Describes what `read` looks for. */
	expects: string;
	unclear: {
		/** What may be true without a clear answer, such as "the letter may have been sent". */
		mayBe: string;
		/** What a user can do then. */
		advice: string;
	};
	/** What is known of the letters of an entry, one for each recipient, if it is one. */
	letter?(entry: E): LetterFacts;
	/** The addresses that an entry writes to, if it names any. */
	addresses?(entry: E): string[];
	/** Adds what the operation knows about an error. */
	explain?(error: RequestFailure, entries: E[]): RequestFailure;
}

/** What the first item says of the whole run. */
export interface SendingSettings<E extends Entry> {
	/** Which entries share a request, in the order of the input; default: none. */
	groups?<T extends E>(entries: readonly T[]): T[][];
	/** Number of concurrent requests; default: that of the option Concurrency. */
	concurrency?: number;
	/** Resends unknown entries, at the risk of sending them twice. */
	sendsUnknownAgain?: boolean;
	/** Why the run may not send these entries, or null if it may; asked before the first request. */
	refuse?(entries: readonly E[]): Failure | null;
}

/** An operation whose requests must not go out twice. */
export interface SendingOperation<E extends Entry> {
	posting: Posting<E>;
	/** Sends nothing. */
	settings?(context: IExecuteFunctions): SendingSettings<E>;
	/**
	 * Reads and checks the parameters of an item. Sends nothing.
	 *
	 * @param inspected is never sent with while it has a problem; who tells all that is wrong tells it, too
	 */
	prepare(
		context: IExecuteFunctions,
		itemIndex: number,
		inspected: InspectedCredential,
	): E | Promise<E>;
	/** What became of several entries, for the output pane. */
	report?(verdicts: Verdict[]): NodeExecutionHint;
}

/**
 * What to do about the unknown outcome of a request that a retry of the execution does not repeat.
 */
export const LOOK_FIRST =
	'The request was sent, but no clear response came back. Check in the dashboard of the service whether it was carried out. A retry of this execution will not repeat it; a new execution will.';
