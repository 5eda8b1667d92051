import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isRecord } from '../fields/isRecord';
import { itemError, outputItems, resultOf, type ItemResult } from '../items/perItem';
import { rememberLetters } from '../items/rememberLetters';
import { checkedCredential } from '../transport/credentialCheck';
import { chooseClaims } from './chooseClaims';
import type { Entry, EntryResult, Posting, Results } from './entry';
import { asBefore, cameBackUnknown, entryResultOf, errorTextOf, itemErrorOf } from './entryErrors';
import { hintAtWarnings } from './hintAtWarnings';
import { Ledger, NOT_SENT } from './ledger';
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
		await checkedCredential(context);
		return await operation.prepare(context, itemIndex);
	};
	return async (context: IExecuteFunctions): Promise<INodeExecutionData[]> =>
		toItems(await sendAll(context, { ...operation, prepare }));
}

/**
 * Sends the input items, nothing twice in this execution and its retries, nor under one key: the
 * ledger covers what this run sent before, and claims cover what others did; only the rest is sent. All items are checked before the first request.
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
	try {
		await sendItems(context, operation, ledger, items);
	} finally {
		// Also where a failure ends the run: what left before it matters most.
		for (const item of items) results.set(item, recalled(context, operation, ledger, item));
		rememberLetters(context, sentIds([...results.values()].flat()));
		await operation.after?.(context, results);
	}
	return results;
}

async function sendItems<E extends Entry>(
	context: IExecuteFunctions,
	operation: SendingOperation<E>,
	ledger: Ledger,
	items: number[],
): Promise<void> {
	const settings = await resultOf<SendingSettings<E>>(
		context,
		0,
		async () => operation.settings?.(context) ?? ONE_BY_ONE,
	);
	const entries = await readItems(context, operation, ledger, items, settings);
	if ('error' in settings || entries.length === 0) return;
	const { posting } = operation;
	hintAtWarnings(context, posting, entries);
	const keys = entries.map((entry) => ledger.keyOf(entry));
	const claims = chooseClaims(context, keys);
	try {
		await new Run({ context, posting, settings: settings.value, ledger, claims }).send(entries);
	} catch (error) {
		if (!context.continueOnFail()) throw itemError(context, entries[0].itemIndex, error);
		// If it were thrown, n8n would output the input, and every letter would look sent.
		for (const entry of entries) {
			if (ledger.read(entry) !== NOT_SENT) continue;
			const reason = errorTextOf(itemError(context, entry.itemIndex, error));
			ledger.write(entry, { state: 'not sent', error: reason });
		}
	} finally {
		await claims.end();
	}
}

/** Message IDs of what was sent; consents and customers have none. */
function sentIds(results: EntryResult[]): string[] {
	return results.flatMap((result) => {
		if (result.verdict !== 'sent') return [];
		const { messageId, messages } = result.output;
		const ids = Array.isArray(messages)
			? messages.map((message) => (isRecord(message) ? message.id : null))
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
	settings: ItemResult<SendingSettings<E>>,
): Promise<E[]> {
	const entries: E[] = [];
	const sendsUnknownAgain = 'value' in settings && settings.value.sendsUnknownAgain === true;
	for (const item of items) {
		const known = recalled(context, operation, ledger, item);
		const isOpen = sendsUnknownAgain && known.some(({ verdict }) => verdict === 'unknown');
		if (ledger.recall(item) !== null && !isOpen) {
			const failed = known.find((result) => 'error' in result);
			if (failed && !context.continueOnFail()) throw failed.error;
			continue;
		}
		const input = context.getInputData().at(item);
		if (input && cameBackUnknown(input) && !sendsUnknownAgain) {
			ledger.reject(item, { state: 'unknown', error: asBefore(input) });
			if (context.continueOnFail()) continue;
			throw itemErrorOf(context, asBefore(input), item);
		}
		const prepared =
			'error' in settings
				? settings
				: await resultOf(context, item, async () => operation.prepare(context, item));
		if ('value' in prepared) {
			ledger.enter(item, prepared.value);
			entries.push(...prepared.value);
			continue;
		}
		ledger.reject(item, { state: 'not sent', error: errorTextOf(prepared.error) });
		if (!context.continueOnFail()) throw prepared.error;
	}
	return entries;
}

/** What the ledger has of an item, as results. */
function recalled(
	context: IExecuteFunctions,
	{ posting }: { posting: Pick<Posting<never>, 'unclear'> },
	ledger: Ledger,
	item: number,
): EntryResult[] {
	return ledger.linesOf(item).map((line) => entryResultOf(context, posting, line, item));
}

/**
 * The output items in input order, each paired with its own. Entries of an item that failed
 * together, for one reason, yield one error.
 */
export function toItems(results: Results): INodeExecutionData[] {
	return [...results].flatMap(([item, some]) => {
		const items = some.flatMap((result) =>
			outputItems('error' in result ? result : { value: result.output }),
		);
		const isAlike = new Set(items.map(({ json }) => JSON.stringify(json))).size === 1;
		const shown = isAlike && some[0].verdict !== 'sent' ? [items[0]] : items;
		return shown.map((one) => ({ ...one, pairedItem: { item } }));
	});
}
