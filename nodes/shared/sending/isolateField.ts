import type { IExecuteFunctions } from 'n8n-workflow';

import { field, readFlag, type Field } from '../fields/field';
import { invalidItem } from '../items/invalidItem';
import type { Entry } from './entry';
import type { SendingSettings } from './settings';

/** Entries per request while isolating bad ones, so that a bad one delays few others. */
const ISOLATED_BATCH = 250;

const NAMES = { displayName: 'Isolate Bad Entries', name: 'isolateBadEntries' };

/**
 * The option that drops bad entries from an all-or-nothing request and sends the rest.
 *
 * @param entries what to call the entries, in the plural
 */
export function isolateField(entries: string, effect: string): Field<boolean> {
	return field(
		{
			...NAMES,
			type: 'boolean',
			default: false,
			description: `Whether to leave out ${entries} that the service rejects and send the rest, instead of all or nothing. ${effect} Those that the service names are left out at once; if it names none, the node splits the request in halves until it finds them, which takes more requests. It repeats only requests that certainly had no effect. Requires "On Error" in the settings of the node to be set to continue. Only the value of the first item is used.`,
		},
		readFlag,
	);
}

/** @throws InvalidItem where the node would stop at the first bad entry: the results so far would be lost */
export function assertCanIsolate(context: IExecuteFunctions): void {
	if (context.continueOnFail()) return;
	throw invalidItem(
		NAMES.displayName,
		'Set "On Error" in the settings of this node to "Continue" or "Continue (using error output)". A node that stops at a bad entry would lose the results of the good ones.',
	);
}

/**
 * Settings of an operation whose only sending option is this one.
 *
 * @param key which entries share a request
 */
export function isolationSettings<E extends Entry>(
	context: IExecuteFunctions,
	isIsolating: boolean | undefined,
	key: (entry: E) => string | null,
): SendingSettings<E> {
	if (isIsolating) assertCanIsolate(context);
	return sharedRequests(isIsolating === true, key);
}

/** As few requests as possible, one at a time. */
export function sharedRequests<E extends Entry>(
	isIsolating: boolean,
	key: (entry: E) => string | null,
): SendingSettings<E> {
	const sharing = { key, weight: () => 1, most: isIsolating ? ISOLATED_BATCH : null };
	return { sharing, concurrency: 1, isIsolating };
}
