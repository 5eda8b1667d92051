import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { Options } from '../options';
import { parameterError } from '../perItem';
import type { Entry } from './entry';
import type { SendingSettings } from './sendAll';

/** Entries a request has at most while bad ones are isolated, so that one of them holds up few others. */
const ISOLATED_BATCH = 250;

const DISPLAY_NAME = 'Isolate Bad Entries';

/**
 * The option that takes the bad entries out of an all-or-nothing request and lets the rest go.
 *
 * @param entry what an entry is, in the plural
 */
export function isolateField(entries: string, effect: string): INodeProperties {
	return {
		displayName: DISPLAY_NAME,
		name: 'isolateBadEntries',
		type: 'boolean',
		default: false,
		description: `Whether to leave out ${entries} the service refuses and go on with the rest, instead of all or nothing. ${effect} Those the service names are left out at once; where it names none, halves are tried until they are found, which takes more requests. Only refusals that surely carried out nothing are tried again. Needs On Error set to continue, in the settings of the node. The value of the first item counts.`,
	};
}

/**
 * Whether bad entries are to be isolated.
 *
 * @throws NodeOperationError when the node would stop at them: what had gone out by then would be lost
 */
export function readIsolate(context: IExecuteFunctions): boolean {
	if (Options.of(context, 0).flag('isolateBadEntries', DISPLAY_NAME) !== true) return false;
	if (context.continueOnFail()) return true;
	throw parameterError(
		context,
		0,
		DISPLAY_NAME,
		'It needs the setting On Error of this node to be Continue or Continue (Using Error Output): the results of the good ones would be lost where the node stops at a bad one.',
	);
}

/**
 * Settings of an operation that has this option and no others on how it sends.
 *
 * @param key which entries share a request
 */
export function isolationSettings<E extends Entry>(
	context: IExecuteFunctions,
	key: (entry: E) => string | null,
): SendingSettings<E> {
	const isIsolating = readIsolate(context);
	const sharing = { key, weight: () => 1, most: isIsolating ? ISOLATED_BATCH : null };
	return { sharing, concurrency: 1, isIsolating };
}
