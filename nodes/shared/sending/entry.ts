import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ItemProblem } from '../items/invalidItem';
import type { ServiceRequest } from '../transport/service';
import type { ServiceError } from '../transport/serviceError';
import type { ClaimKey } from './claims';

/**
 * The smallest unit with its own verdict: a letter, a customer, a recipient asked for consent. An
 * input item yields one or several.
 */
export interface Entry {
	itemIndex: number;
	/** The user's key, under which it is sent once, across executions too. */
	once?: ClaimKey;
	/** What the user should look at, though the service would take it. */
	warnings?: ItemProblem[];
}

/**
 * A POST that costs money or writes to people; the service carries it out completely or not at all.
 */
export interface Posting<E extends Entry> {
	request(entries: E[]): ServiceRequest;
	/**
	 * The output of each entry, read from the interface's own answer. Null for any other answer,
	 * which leaves the outcome unknown.
	 */
	read(status: number, body: unknown, entries: E[]): IDataObject[] | null;
	/** Describes what `read` looks for. */
	expects: string;
	unclear: {
		/** What may be true without a clear answer, such as "the letter may have been sent". */
		mayBe: string;
		/** What a user can do then. */
		advice: string;
	};
	/**
	 * The rows that an entry adds to the request, by which the service may reject it; default: one
	 * without an address.
	 */
	rows?(entry: E): EntryRow[];
	/** Which errors are about some of the entries; default: those about people. */
	rejects?: RejectionScope;
	/** Wording for an entry that failed because of others. */
	bystander?(culprits: string, error: ServiceError): Bystander;
	/** Adds what the operation knows about an error. */
	explain?(error: ServiceError, entries: E[]): ServiceError;
	/** Identifies the entry among its item's, for the details of its error. */
	details?(entry: E): IDataObject;
}

/** The addresses that entries write to. */
export function addressesOf<E extends Entry>({ rows }: Posting<E>, entries: E[]) {
	return entries.flatMap((entry) => rows?.(entry) ?? []).map(({ email }) => email);
}

interface EntryRow {
	email: string | null;
	/** Position among the item's recipients, from 0, if there are several. */
	recipient?: number;
}

/** Which errors of an all-or-nothing request are about some of its entries. */
export interface RejectionScope {
	/** HTTP statuses that qualify; any other is about the account, the address or the moment. */
	statuses: number[];
	/** Codes that never qualify, whatever their status. */
	exceptCodes: string[];
}

/** For requests whose entries share the sender and differ only in their people. */
export const ABOUT_PEOPLE: RejectionScope = {
	statuses: [400, 422],
	exceptCodes: ['customer-not-found', 'customer-not-registered'],
};

type Bystander = Pick<ServiceError, 'message' | 'description'>;

/**
 * Wording for an item that was not created because of others.
 *
 * @param option that sends the rest
 */
export function nothingCreated(option: Pick<INodeProperties, 'displayName'>) {
	return (culprits: string, { message }: ServiceError): Bystander => ({
		message: `Nothing was created because of ${culprits}: ${message}`,
		description: `All items go in one request, which the service processes as a whole or not at all. Nothing is wrong with this item. Correct ${culprits}, then run again, or turn on '${option.displayName}'.`,
	});
}

/**
 * What to do about the unknown outcome of a request that a retry of the execution does not repeat.
 */
export const LOOK_FIRST =
	'The request was sent, but no clear response came back. Check in the dashboard of the service whether it was carried out. A retry of this execution will not repeat it; a new execution will.';
