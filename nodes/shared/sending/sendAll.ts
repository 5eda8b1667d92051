import type { IExecuteFunctions } from 'n8n-workflow';

import { itemError, resultOf, type Refuse } from '../perItem';
import { chooseClaims } from './chooseClaims';
import type { Entry, EntryResult, Posting, Results } from './entry';
import { recalled } from './errors';
import { Ledger } from './ledger';
import type { Sharing } from './plan';
import { Run } from './run';

/** An operation whose requests must not go out twice. */
export interface SendingOperation<E extends Entry> {
	posting: Posting<E>;
	/** What holds for the whole run, as its first item has it. Sends nothing. */
	settings(context: IExecuteFunctions): SendingSettings<E>;
	/** Reads and checks the parameters of an item. Sends nothing. */
	prepare(context: IExecuteFunctions, itemIndex: number): Promise<E[]>;
}

export interface SendingSettings<E extends Entry> {
	sharing: Sharing<E>;
	/** Requests under way at the same time. */
	concurrency: number;
	/** Entries that the service refuses are left out of a request, and the rest goes. */
	isIsolating: boolean;
	/** What is unknown goes out again, at the risk of going out twice. */
	sendsUnknownAgain?: boolean;
	/** Looks at all that would leave, before the first request, and may refuse the whole run. */
	refuse?: ((leaving: E[]) => Refuse | null) | null;
	/** Told how many entries have their verdict. */
	report?(done: number, total: number): void;
}

/** For operations that make a request for each item. */
export const ONE_BY_ONE = {
	sharing: { key: () => null, weight: () => 1, most: null },
	concurrency: 1,
	isIsolating: false,
};

/**
 * Sends what the input items ask for, none of it twice in this run of the node, nor under one key
 * (design, section 5): what this run has sent before is answered from the ledger, and what went out
 * under a key from its claim; only the rest leaves. All items are checked before the first request.
 *
 * Without *Continue On Fail* the first failure ends the run: no more requests are begun, those under way
 * are waited for and written down, then it is thrown. With it, every entry has a verdict.
 */
export async function sendAll<E extends Entry>(
	context: IExecuteFunctions,
	operation: SendingOperation<E>,
): Promise<Results> {
	const ledger = new Ledger(context);
	const { items, entries, settings } = await readItems(context, operation, ledger);
	if (settings === null || entries.length === 0) return items;
	const claims = entries.some(({ onceKey }) => onceKey) ? await chooseClaims(context) : null;
	const run = new Run({ context, posting: operation.posting, settings, ledger, claims });
	let broken: unknown;
	try {
		await run.send(entries);
	} catch (error) {
		if (!context.continueOnFail()) throw itemError(context, entries[0].itemIndex, error);
		// Thrown on, n8n would put out the input, and each letter would pass for sent.
		broken = error;
	} finally {
		await claims?.end();
	}
	for (const entry of entries) items.get(entry.itemIndex)?.push(run.resultOf(entry, broken));
	return items;
}

/** Which entries are to leave, and what is known of the other items. */
interface Reading<E extends Entry> {
	/** Empty for the items of the entries. */
	items: Results;
	entries: E[];
	/** Null when they are wrong, and with them every item that has not left yet. */
	settings: SendingSettings<E> | null;
}

// The ledger comes first: of an item that has left, no parameter is read again. What it says now may be
// wrong by now, such as a time that is past.
async function readItems<E extends Entry>(
	context: IExecuteFunctions,
	{ posting, settings: readSettings, prepare }: SendingOperation<E>,
	ledger: Ledger,
): Promise<Reading<E>> {
	const settings = await resultOf(context, 0, async () => readSettings(context));
	const sendsUnknownAgain = 'value' in settings && settings.value.sendsUnknownAgain === true;
	const items: Results = new Map();
	const entries: E[] = [];
	const know = (itemIndex: number, results: EntryResult[]) => {
		items.set(itemIndex, results);
		const failed = results.find((result) => 'error' in result);
		if (failed && !context.continueOnFail()) throw failed.error;
	};
	for (const [itemIndex] of context.getInputData().entries()) {
		const lines = ledger.recall(itemIndex);
		const known = lines?.map((line) => recalled(context, posting, line, itemIndex)) ?? null;
		const isUnknown = known?.some(({ verdict }) => verdict === 'unknown') === true;
		if (known !== null && !(isUnknown && sendsUnknownAgain)) {
			know(itemIndex, known);
			continue;
		}
		const prepared =
			'error' in settings
				? settings
				: await resultOf(context, itemIndex, async () => await prepare(context, itemIndex));
		if ('error' in prepared) {
			know(itemIndex, known ?? [{ verdict: 'not sent', error: prepared.error }]);
			continue;
		}
		ledger.enter(itemIndex, prepared.value);
		items.set(itemIndex, []);
		entries.push(...prepared.value);
	}
	return { items, entries, settings: 'value' in settings ? settings.value : null };
}
