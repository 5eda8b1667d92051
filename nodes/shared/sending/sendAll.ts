import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { itemLine } from '../items/invalidItem';
import {
	endOfRun,
	errorJson,
	errorTextOf,
	itemError,
	prepareAll,
	type ItemError,
} from '../items/perItem';
import { ownOutput } from '../items/ownOutput';
import { rememberLetters } from '../items/rememberLetters';
import { listed } from '../items/rows';
import { usableCredential } from '../transport/credential';
import { chooseClaims } from './chooseClaims';
import { addressesOf, type Entry, type Posting } from './entry';
import type { Ended, Fate, Results } from './fate';
import { asBefore, interrupted, isUnknown, itemErrorOf } from './entryErrors';
import { Ledger, NOT_SENT, type Tracked } from './ledger';
import { Run } from './run';
import { ONE_BY_ONE, type SendingSettings } from './settings';

/** An operation whose requests must not go out twice. */
export interface SendingOperation<E extends Entry> {
	posting: Posting<E>;
	/** Run-wide settings, from the first item; default: one request per item. Sends nothing. */
	settings?(context: IExecuteFunctions): SendingSettings<E>;
	/** Reads and checks the parameters of an item. Sends nothing. */
	prepare(context: IExecuteFunctions, itemIndex: number): E[] | Promise<E[]>;
	/** What to do with the results, also those of a run that a failure ended. Must not throw. */
	after?(context: IExecuteFunctions, results: Results): Promise<void>;
}

/**
 * Makes an operation that checks the credential for each item, sends what the items say, and
 * outputs the results; see {@link sendAll}.
 */
export function sending<E extends Entry>(operation: SendingOperation<E>) {
	const prepare = async (context: IExecuteFunctions, itemIndex: number) => {
		await usableCredential(context);
		return await operation.prepare(context, itemIndex);
	};
	return async (context: IExecuteFunctions): Promise<INodeExecutionData[]> =>
		toItems(await sendAll(context, { ...operation, prepare }));
}

/**
 * Sends the input items, nothing twice in this execution and its retries, nor under one key: the ledger
 * covers what this run sent before, and claims cover what others did; only the rest is sent. All items are
 * checked before the first request.
 *
 * Without *Continue On Fail* the first failure ends the run: no more requests start, those in
 * progress finish and are recorded, then it is thrown. With it, every entry has a verdict.
 *
 * @param itemIndexes the items to send, where it is not all of them
 */
export async function sendAll<E extends Entry>(
	context: IExecuteFunctions,
	operation: SendingOperation<E>,
	itemIndexes: Iterable<number> = context.getInputData().keys(),
): Promise<Results> {
	const ledger = new Ledger(context);
	const items = [...itemIndexes];
	const results: Results = new Map();
	let failure: ItemError | undefined;
	try {
		await sendItems(context, operation, ledger, items);
	} catch (error) {
		failure = itemError(context, error);
	}
	// Also where a failure ends the run: what left before it matters most.
	for (const item of items) {
		// Copies, since what follows adds to the outputs.
		const ends = endsOf(ledger.fatesOf(item), operation, item);
		results.set(
			item,
			ends.map((end) => ({ ...end })),
		);
	}
	rememberLetters(context, sentIds([...results.values()].flat()));
	await operation.after?.(context, results);
	if (failure === undefined) return results;
	const rows = [...results.values()];
	const having = (state: string) =>
		rows.filter((ends) => ends.length > 0 && ends.every((end) => end.state === state)).length;
	const became = { rows: rows.length, done: having('sent'), unknown: having('unknown') };
	throw endOfRun(failure, became);
}

async function sendItems<E extends Entry>(
	context: IExecuteFunctions,
	operation: SendingOperation<E>,
	ledger: Ledger,
	items: number[],
): Promise<void> {
	const { posting } = operation;
	let settings: SendingSettings<E> | ItemError;
	try {
		settings = operation.settings?.(context) ?? ONE_BY_ONE;
	} catch (error) {
		settings = itemError(context, error, 0);
	}
	const entries = await readItems(context, operation, ledger, items, settings);
	if (settings instanceof Error || entries.length === 0) return;
	hintAtWarnings(context, entries);
	const claims = await chooseClaims(
		context,
		entries.map(({ key }) => key),
	);
	try {
		await new Run<Tracked<E>>({ context, posting, settings, claims }).send(entries);
	} catch (error) {
		if (!context.continueOnFail()) throw itemError(context, error);
		// If it were thrown, n8n would output the input, and every letter would look sent.
		for (const entry of entries) {
			if (entry.fate !== NOT_SENT) continue;
			const reason = errorTextOf(itemError(context, error));
			entry.fate = { state: 'not sent', error: reason };
		}
	} finally {
		await claims.end();
	}
}

/** Warnings a hint lists; a mailing may have one for each of its letters. */
const MOST_LISTED = 10;

/** Shows in the output pane what the user should look at in what is about to go out. */
function hintAtWarnings(context: IExecuteFunctions, entries: readonly Entry[]): void {
	const lines = entries.flatMap(({ itemIndex, warnings = [] }) =>
		warnings.map((warning) => itemLine(itemIndex, warning)),
	);
	if (lines.length === 0) return;
	const message = ['Warnings, which do not stop the node:', ...listed(lines, MOST_LISTED)].join(
		'\n',
	);
	context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
}

function endsOf(
	fates: Fate[],
	{ posting }: { posting: Pick<Posting<never>, 'unclear'> },
	item: number,
): Ended[] {
	return fates.map((fate) => (fate.state === 'leaving' ? interrupted(posting, item) : fate));
}

/** Message IDs of what was sent; consents and customers have none. */
function sentIds(results: Ended[]): string[] {
	return results.flatMap((result) => {
		if (result.state !== 'sent') return [];
		const { messageId, messages } = result.output;
		const ids = Array.isArray(messages)
			? messages.map((message) => (message as IDataObject | null)?.id)
			: [messageId];
		return ids.filter((id) => typeof id === 'string');
	});
}

/**
 * Puts the items into the ledger. Settings that are invalid fail every item not yet sent.
 *
 * The ledger is asked first: parameters of an item already sent are not read again. They may be invalid by
 * now, such as a time that has passed.
 *
 * @returns the entries to send
 */
async function readItems<E extends Entry>(
	context: IExecuteFunctions,
	operation: SendingOperation<E>,
	ledger: Ledger,
	items: number[],
	settings: SendingSettings<E> | ItemError,
): Promise<Array<Tracked<E>>> {
	const sendsUnknownAgain = 'sharing' in settings && settings.sendsUnknownAgain === true;
	const readItem = async (item: number) => {
		if (ledger.lacksAddresses(item))
			ledger.address(item, await addressesNow(context, operation, item));
		const recalled = ledger.recall(item);
		const known = recalled && endsOf(recalled, operation, item);
		const isOpen = sendsUnknownAgain && known?.some(({ state }) => state === 'unknown');
		if (known && !isOpen) {
			for (const end of known) if ('error' in end) throw itemErrorOf(context, end.error, item);
			return [];
		}
		const before = [context.getInputData().at(item), ownOutput(context, item)].find(isUnknown);
		if (before && !sendsUnknownAgain) {
			ledger.reject(item, { state: 'unknown', error: asBefore(before) });
			throw itemErrorOf(context, asBefore(before), item);
		}
		if (settings instanceof Error) throw settings;
		return ledger.enter(item, await operation.prepare(context, item));
	};
	const entries: Array<Tracked<E>> = [];
	for (const [item, result] of await prepareAll(context, readItem, items)) {
		if ('value' in result) entries.push(...result.value);
		else ledger.reject(item, { state: 'not sent', error: errorTextOf(result.error) });
	}
	return entries;
}

/** Whom an item says it writes to; nobody if it can no longer be read. */
async function addressesNow<E extends Entry>(
	context: IExecuteFunctions,
	{ posting, prepare }: SendingOperation<E>,
	item: number,
): Promise<Array<string | null>> {
	try {
		return addressesOf(posting, await prepare(context, item));
	} catch {
		return [];
	}
}

/**
 * The output items in input order, each paired with its own. Entries of an item that failed
 * together, for one reason, yield one error.
 */
export function toItems(results: Results): INodeExecutionData[] {
	return [...results].flatMap(([item, ends]) => {
		const items = ends.map((end) => {
			if (end.state === 'sent') return { json: end.output };
			return { json: errorJson(end.error) };
		});
		const isAlike = new Set(items.map(({ json }) => JSON.stringify(json))).size === 1;
		const shown = isAlike && ends[0].state !== 'sent' ? [items[0]] : items;
		return shown.map((one) => ({ ...one, pairedItem: { item } }));
	});
}
