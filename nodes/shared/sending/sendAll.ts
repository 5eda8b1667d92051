import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isRecord } from '../fields/isRecord';
import { itemError, outputItems, resultOf } from '../items/perItem';
import { rememberLetters } from '../items/rememberLetters';
import { checkedCredential } from '../transport/credentialCheck';
import { chooseClaims } from './chooseClaims';
import type { Entry, EntryResult, Posting, Results } from './entry';
import { recalled } from './entryErrors';
import { hintAtWarnings } from './hintAtWarnings';
import { Ledger } from './ledger';
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
 * Sends the input items, nothing twice in this run of the node, nor under one key (design, section
 * 5): the ledger covers what this run sent before, and claims cover what went out under a key; only
 * the rest is sent. All items are checked before the first request.
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
	const results: Results = new Map();
	try {
		await sendInto(results, context, operation, itemIndexes);
	} finally {
		// Also where a failure ends the run: what left before it matters most.
		rememberLetters(context, sentIds([...results.values()].flat()));
		await operation.after?.(context, results);
	}
	return results;
}

/** Adds the result of each item, also where it throws. */
async function sendInto<E extends Entry>(
	results: Results,
	context: IExecuteFunctions,
	operation: SendingOperation<E>,
	itemIndexes: Iterable<number>,
): Promise<void> {
	const ledger = new Ledger(context);
	const { entries, settings } = await readItems(results, context, operation, ledger, itemIndexes);
	if (settings === null || entries.length === 0) return;
	hintAtWarnings(context, operation.posting, entries);
	const claims = entries.some(({ onceKey }) => onceKey) ? await chooseClaims(context) : null;
	const run = new Run({ context, posting: operation.posting, settings, ledger, claims });
	let broken: unknown;
	try {
		await run.send(entries);
	} catch (error) {
		if (!context.continueOnFail()) throw itemError(context, entries[0].itemIndex, error);
		// If it were thrown, n8n would output the input, and every letter would look sent.
		broken = error;
	} finally {
		await claims?.end();
		for (const entry of entries) results.get(entry.itemIndex)?.push(run.resultOf(entry, broken));
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

interface Input<E extends Entry> {
	entries: E[];
	/** Null if invalid, which then fails every item not yet sent. */
	settings: SendingSettings<E> | null;
}

/**
 * The entries to send. What is known about the other items goes into `results`, which has empty lists for
 * items that have entries.
 *
 * The ledger comes first: parameters of an item already sent are not read again. They may be invalid by
 * now, such as a time that has passed.
 */
async function readItems<E extends Entry>(
	results: Results,
	context: IExecuteFunctions,
	operation: SendingOperation<E>,
	ledger: Ledger,
	itemIndexes: Iterable<number>,
): Promise<Input<E>> {
	const settings = await resultOf<SendingSettings<E>>(
		context,
		0,
		async () => operation.settings?.(context) ?? ONE_BY_ONE,
	);
	const sendsUnknownAgain = 'value' in settings && settings.value.sendsUnknownAgain === true;
	const entries: E[] = [];
	const keep = (itemIndex: number, known: EntryResult[]) => {
		results.set(itemIndex, known);
		const failed = known.find((result) => 'error' in result);
		if (failed && !context.continueOnFail()) throw failed.error;
	};
	for (const itemIndex of itemIndexes) {
		const lines = ledger.recall(itemIndex);
		const known =
			lines?.map((line) => recalled(context, operation.posting, line, itemIndex)) ?? null;
		const isUnknown = known?.some(({ verdict }) => verdict === 'unknown') === true;
		if (known !== null && !(isUnknown && sendsUnknownAgain)) {
			keep(itemIndex, known);
			continue;
		}
		const prepared =
			'error' in settings
				? settings
				: await resultOf(context, itemIndex, async () => operation.prepare(context, itemIndex));
		if ('error' in prepared) {
			keep(itemIndex, known ?? [{ verdict: 'not sent', error: prepared.error }]);
			continue;
		}
		ledger.enter(itemIndex, prepared.value);
		results.set(itemIndex, []);
		entries.push(...prepared.value);
	}
	return { entries, settings: 'value' in settings ? settings.value : null };
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
