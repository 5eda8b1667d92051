import type { IExecuteFunctions } from 'n8n-workflow';

import { field, readFlag, type Field } from '../fields/field';
import { invalidItem } from '../items/invalidItem';
import type { Entry } from './entry';
import type { SendingSettings } from './settings';

/** Entries per request while isolating bad ones, so that a bad one delays few others. */
const MOST_ISOLATED = 250;

/**
 * The option that drops bad entries from an all-or-nothing request and sends the rest.
 *
 * @param entries what to call the entries, in the plural and in Title Case
 */
export function isolateField(entries: string): Field<boolean> {
	return field(
		{
			displayName: `Skip Rejected ${entries}`,
			name: 'isolateBadEntries',
			type: 'boolean',
			default: false,
			description: `Whether to leave out ${entries.toLowerCase()} that the service rejects and send the rest. Requires 'On Error' in the node's settings to be set to continue.`,
		},
		readFlag,
	);
}

/** @throws InvalidItem where the node would stop at the first bad entry: the results so far would be lost */
export function assertCanIsolate(
	context: IExecuteFunctions,
	{ displayName }: Field<boolean>,
): void {
	if (context.continueOnFail()) return;
	throw invalidItem(
		displayName,
		"Set 'On Error' in the settings of this node to 'Continue' or 'Continue (using error output)'. A node that stops at a bad entry would lose the results of the good ones.",
	);
}

/**
 * Settings of an operation whose only sending option is this one.
 *
 * @param key which entries share a request
 */
export function isolationSettings<E extends Entry>(
	context: IExecuteFunctions,
	option: Field<boolean>,
	isIsolating: boolean | undefined,
	key: (entry: E) => string | null,
): SendingSettings<E> {
	if (isIsolating) assertCanIsolate(context, option);
	return sharedRequests(isIsolating === true, key);
}

/** As few requests as possible, one at a time. */
export function sharedRequests<E extends Entry>(
	isIsolating: boolean,
	key: (entry: E) => string | null,
): SendingSettings<E> {
	const sharing = { key, weight: () => 1, most: isIsolating ? MOST_ISOLATED : null };
	return { sharing, concurrency: 1, isIsolating };
}
