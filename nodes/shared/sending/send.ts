import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { CREDENTIAL_LABEL, invalidItem, itemLine, listed } from '../fields/invalidItem';
import { endOfRun, errorJson, failureOf, itemError, type ItemError } from '../items/itemError';
import { messageIdsOf, rememberLetters } from '../items/rememberLetters';
import { inspectCredential } from '../transport/credential';
import { apiError } from '../transport/serviceError';
import { ownKey } from './claims';
import type { Entry, SendingOperation, SendingSettings, Verdicts } from './entry';
import { Ledger } from './ledger';
import { LocalClaims } from './localClaims';
import { ReceiverClaims } from './receiverClaims';
import { sendEntries, type Keyed } from './sendEntries';

/** Makes an operation that sends what the items say, and outputs the verdicts; see {@link sendItems}. */
export function sending<E extends Entry>(operation: SendingOperation<E>) {
	return async (context: IExecuteFunctions): Promise<INodeExecutionData[]> => {
		const verdicts = await sendItems(context, operation);
		const items: INodeExecutionData[] = [];
		for (const [item, verdict] of verdicts) {
			const outputs = verdict.state === 'sent' ? verdict.outputs : [errorJson(verdict.error)];
			for (const json of outputs) items.push({ json, pairedItem: { item } });
		}
		// A single item says it all itself.
		if (operation.report && verdicts.size > 1) {
			context.addExecutionHints(operation.report([...verdicts.values()]));
		}
		return items;
	};
}

/**
 * Sends the input items, nothing twice in this execution and its retries, nor under one key: the ledger
 * covers what this run sent before, and claims cover what others did; only the rest is sent. All items are
 * checked before the first request.
 *
 * The ledger is asked first: parameters of an item already sent are not read again. They may be invalid by now,
 * such as a time that has passed. Settings that are invalid fail every item not yet sent.
 *
 * Without *Continue On Fail* the first failure ends the run: no more requests start, those in
 * progress finish and are recorded, then it is thrown. With it, every item has a verdict.
 *
 * @param itemIndexes the items to send, where it is not all of them
 */
export async function sendItems<E extends Entry>(
	context: IExecuteFunctions,
	operation: SendingOperation<E>,
	itemIndexes: Iterable<number> = context.getInputData().keys(),
): Promise<Verdicts> {
	const items = [...itemIndexes];
	const ledger = new Ledger(context, operation.posting);
	let failure: ItemError | null = null;
	try {
		await sendUnsent(context, operation, ledger, items);
	} catch (error) {
		failure = itemError(context, error);
	}
	// Also where a failure ends the run: what left before it matters most.
	const verdicts: Verdicts = new Map();
	for (const item of items) {
		const verdict = ledger.verdictOf(item);
		if (verdict !== null) verdicts.set(item, verdict);
	}
	const all = [...verdicts.values()];
	const sent = all.flatMap((one) => (one.state === 'sent' ? [one.outputs] : []));
	rememberLetters(context, messageIdsOf(sent.flat()));
	if (failure === null) return verdicts;
	const unknown = all.filter(({ state }) => state === 'unknown').length;
	throw endOfRun(failure, { rows: items.length, done: sent.length, unknown });
}

/** Reads every item that the ledger does not answer for, then sends them. */
async function sendUnsent<E extends Entry>(
	context: IExecuteFunctions,
	operation: SendingOperation<E>,
	ledger: Ledger,
	items: readonly number[],
): Promise<void> {
	const { settings, unreadable } = readSettings(context, operation);
	const sendsUnknownAgain = settings.sendsUnknownAgain === true;
	const entries: Array<Keyed<E>> = [];
	for (const item of items) {
		try {
			if (ledger.lacksAddresses(item)) {
				ledger.address(item, await addressesNow(context, operation, item));
			}
			const known = ledger.recall(item);
			if (known !== null && !(sendsUnknownAgain && known.state === 'unknown')) {
				if (known.state !== 'sent') throw apiError(context, known.error, item);
				continue;
			}
			if (unreadable !== null) throw unreadable;
			const inspected = await inspectCredential(context);
			const entry = await operation.prepare(context, item, inspected);
			if (inspected.problem !== null) throw invalidItem(CREDENTIAL_LABEL, inspected.problem);
			entries.push({ ...entry, key: entry.once ?? ownKey(`${ledger.name} ${item}`) });
		} catch (error) {
			const reason = itemError(context, error, item);
			if (!context.continueOnFail()) throw reason;
			// What an earlier try left, the ledger knows already.
			if (ledger.verdictOf(item) === null) {
				ledger.record(item, { state: 'not sent', error: failureOf(reason) });
			}
		}
	}
	if (entries.length === 0) return;
	const { credential } = await inspectCredential(context);
	// The receiver keeps all keys where there is one: they hold across workers, n8n processes and workflows.
	const hasReceiver = credential.followWith === 'receiver';
	giveHints(context, entries, hasReceiver);
	const claims = hasReceiver ? new ReceiverClaims(context, credential) : new LocalClaims(context);
	try {
		await sendEntries({ context, operation, settings, credential, ledger, claims }, entries);
	} finally {
		await claims.end();
	}
}

/** Warnings a hint lists; a mailing may have one for each of its letters. */
const MOST_LISTED = 10;

/** Shows in the output pane what the user should know of what is about to go out. */
function giveHints<E extends Entry>(
	context: IExecuteFunctions,
	entries: ReadonlyArray<Keyed<E>>,
	hasReceiver: boolean,
): void {
	const location = 'outputPane';
	const lines = entries.flatMap(({ itemIndex, warnings = [] }) =>
		warnings.map((warning) => itemLine(itemIndex, warning)),
	);
	if (lines.length > 0) {
		const all = ['Warnings, which do not stop the node:', ...listed(lines, MOST_LISTED)];
		context.addExecutionHints({ message: all.join('\n'), type: 'warning', location });
	}
	if (!hasReceiver && entries.some(({ key }) => key.isOwn !== true)) {
		const message =
			"'Send Once Key' holds within this node and one n8n process. With several workers or main processes, or to share keys between workflows, choose a webhook receiver in the credential.";
		context.addExecutionHints({ message, type: 'info', location });
	}
}

/** Of the whole run, or why they cannot be read. */
function readSettings<E extends Entry>(
	context: IExecuteFunctions,
	operation: SendingOperation<E>,
): { settings: SendingSettings<E>; unreadable: ItemError | null } {
	try {
		return { settings: operation.settings?.(context) ?? {}, unreadable: null };
	} catch (error) {
		return { settings: {}, unreadable: itemError(context, error, 0) };
	}
}

/** Whom an item says it writes to. Empty if it can no longer be read. */
async function addressesNow<E extends Entry>(
	context: IExecuteFunctions,
	{ posting, prepare }: SendingOperation<E>,
	item: number,
): Promise<string[]> {
	try {
		const entry = await prepare(context, item, await inspectCredential(context));
		return posting.addresses?.(entry) ?? [];
	} catch {
		return [];
	}
}
