import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import { forEachBounded } from '../items/concurrency';
import { itemLine, listed } from '../fields/invalidItem';
import {
	endOfRun,
	errorJson,
	errorTextOf,
	itemError,
	type ErrorText,
	type ItemError,
} from '../items/itemError';
import { prepareAll } from '../items/perItem';
import { messageIdsOf, rememberLetters } from '../items/rememberLetters';
import { usableCredential } from '../transport/credential';
import { hasReceiver } from '../transport/receiver';
import { callService, type ServiceRequest } from '../transport/service';
import { unexpectedAnswer, type ServiceError } from '../transport/serviceError';
import { unknownBefore } from './cameBack';
import type { Claim, ClaimKey, Claims, Settlement } from './claims';
import type { Entry, Fate, SendingOperation, SendingSettings, Verdict, Verdicts } from './entry';
import { interrupted, itemErrorOf, keyUsedError, limitError, unknownOutcome } from './entryErrors';
import { Ledger } from './ledger';
import { LocalClaims } from './localClaims';
import { withAddresses } from './people';
import { ReceiverClaims } from './receiverClaims';

/**
 * Requests whose entries are claimed together, each claim being a request or a rewrite of n8n's list. When a
 * process dies, the entries of so many are of unknown outcome though they had not left.
 */
const CLAIMED_TOGETHER = 20;

/** Milliseconds to wait before asking again for a key that another try is sending under. */
const BUSY_WAIT = 1_000;

/**
 * Makes an operation that checks the credential for each item, sends what the items say, and
 * outputs the verdicts; see {@link sendItems}.
 */
export function sending<E extends Entry>(operation: SendingOperation<E>) {
	const prepare = async (context: IExecuteFunctions, itemIndex: number) => {
		await usableCredential(context);
		return await operation.prepare(context, itemIndex);
	};
	return async (context: IExecuteFunctions): Promise<INodeExecutionData[]> =>
		toItems(await sendItems(context, { ...operation, prepare }));
}

/** The output items in input order, each paired with its own. */
export function toItems(verdicts: Verdicts): INodeExecutionData[] {
	return [...verdicts].flatMap(([item, verdict]) => {
		const outputs = verdict.state === 'sent' ? verdict.outputs : [errorJson(verdict.error)];
		return outputs.map((json) => ({ json, pairedItem: { item } }));
	});
}

/**
 * Sends the input items, nothing twice in this execution and its retries, nor under one key: the ledger
 * covers what this run sent before, and claims cover what others did; only the rest is sent. All items are
 * checked before the first request.
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
	const ledger = new Ledger(context);
	const items = [...itemIndexes];
	let failure: ItemError | undefined;
	try {
		const { entries, settings } = await readItems(context, operation, ledger, items);
		if (entries.length > 0) await sendEntries({ context, operation, settings, ledger }, entries);
	} catch (error) {
		failure = itemError(context, error);
	}
	// Also where a failure ends the run: what left before it matters most.
	const verdicts: Verdicts = new Map();
	for (const item of items) {
		const verdict = verdictOf(ledger.fateOf(item), operation, item);
		if (verdict !== null) verdicts.set(item, copyOf(verdict));
	}
	const sent = [...verdicts.values()].flatMap((one) => (one.state === 'sent' ? one.outputs : []));
	rememberLetters(context, messageIdsOf(sent));
	if (failure === undefined) return verdicts;
	const having = (state: string) =>
		[...verdicts.values()].filter((verdict) => verdict.state === state).length;
	throw endOfRun(failure, { rows: items.length, done: having('sent'), unknown: having('unknown') });
}

function verdictOf<E extends Entry>(
	fate: Fate | null,
	{ posting }: SendingOperation<E>,
	item: number,
): Verdict | null {
	return fate?.state === 'leaving' ? interrupted(posting, item) : fate;
}

/**
 * Reads what is to be sent. Settings that are invalid fail every item not yet sent.
 *
 * The ledger is asked first: parameters of an item already sent are not read again. They may be invalid by
 * now, such as a time that has passed.
 */
async function readItems<E extends Entry>(
	context: IExecuteFunctions,
	operation: SendingOperation<E>,
	ledger: Ledger,
	items: number[],
): Promise<{ entries: Array<Keyed<E>>; settings: SendingSettings<E> }> {
	let settings: SendingSettings<E> = { concurrency: 1 };
	let unreadable: ItemError | null = null;
	try {
		settings = operation.settings?.(context) ?? settings;
	} catch (error) {
		unreadable = itemError(context, error, 0);
	}
	const sendsUnknownAgain = settings.sendsUnknownAgain === true;
	const readItem = async (item: number): Promise<E | null> => {
		if (ledger.lacksAddresses(item))
			ledger.address(item, await addressesNow(context, operation, item));
		const known = verdictOf(ledger.recall(item), operation, item);
		if (known !== null && !(sendsUnknownAgain && known.state === 'unknown')) {
			if ('error' in known) throw itemErrorOf(context, known.error, item);
			return null;
		}
		const before = sendsUnknownAgain ? null : unknownBefore(context, item);
		if (before !== null) {
			ledger.record(item, { state: 'unknown', error: before });
			throw itemErrorOf(context, before, item);
		}
		if (unreadable !== null) throw unreadable;
		return await operation.prepare(context, item);
	};
	const entries: Array<Keyed<E>> = [];
	for (const [item, read] of await prepareAll(context, readItem, items)) {
		if ('error' in read) {
			// What an earlier try left, the ledger knows already.
			if (ledger.fateOf(item) === null) {
				ledger.record(item, { state: 'not sent', error: errorTextOf(read.error) });
			}
		} else if (read.value !== null) {
			entries.push({ ...read.value, key: await keyOf(context, operation, ledger, read.value) });
		}
	}
	return { entries, settings };
}

/** What an entry is claimed under; with a letter its record begins so. */
async function keyOf<E extends Entry>(
	context: IExecuteFunctions,
	{ posting }: SendingOperation<E>,
	ledger: Ledger,
	entry: E,
): Promise<ClaimKey> {
	const key = ledger.keyOf(entry);
	const facts = posting.letter?.(entry);
	if (!facts) return key;
	const { baseUrl: service } = await usableCredential(context);
	const { id, name } = context.getWorkflow();
	const letter = {
		service,
		type: null,
		sender: null,
		fileReference: null,
		customerReference: null,
		...facts,
		workflow: { id: String(id), name: String(name) },
		executionId: context.getExecutionId(),
	};
	return { ...key, letter };
}

/** Whom an item says it writes to; nobody if it can no longer be read. */
async function addressesNow<E extends Entry>(
	context: IExecuteFunctions,
	{ posting, prepare }: SendingOperation<E>,
	item: number,
): Promise<string[]> {
	try {
		return posting.addresses?.(await prepare(context, item)) ?? [];
	} catch {
		return [];
	}
}

/** An entry with what it is claimed under. */
type Keyed<E extends Entry> = E & { readonly key: ClaimKey };

interface SendingRun<E extends Entry> {
	context: IExecuteFunctions;
	operation: SendingOperation<E>;
	settings: SendingSettings<E>;
	ledger: Ledger;
}

async function sendEntries<E extends Entry>(
	run: SendingRun<E>,
	entries: Array<Keyed<E>>,
): Promise<void> {
	const { context, ledger } = run;
	hintAtWarnings(context, entries);
	const claims = await keeperOf(context, entries);
	try {
		const refused = await tooMany(run, claims, entries);
		if (refused === null) await new Sender({ ...run, claims }).sendAll(entries);
		else throw itemErrorOf(context, refused);
	} catch (error) {
		if (!context.continueOnFail()) throw itemError(context, error);
		// If it were thrown, n8n would output the input, and every letter would look sent.
		const reason = errorTextOf(itemError(context, error));
		for (const { itemIndex } of entries) {
			if (ledger.fateOf(itemIndex) === null)
				ledger.record(itemIndex, { state: 'not sent', error: reason });
		}
	} finally {
		await claims.end();
	}
}

/**
 * The receiver keeps all keys where the credential has one: they hold across workers, n8n processes and
 * workflows. Without it n8n does, which is safe only within one process; a hint says so.
 */
async function keeperOf(context: IExecuteFunctions, entries: readonly Entry[]): Promise<Claims> {
	if (await hasReceiver(context)) return new ReceiverClaims(context);
	if (entries.some(({ once }) => once && once.isOwn !== true)) {
		context.addExecutionHints({
			message:
				"'Send Once Key' holds within this node and one n8n process. With several workers or main processes, or to share keys between workflows, choose a webhook receiver in the credential.",
			type: 'info',
			location: 'outputPane',
		});
	}
	return new LocalClaims(context);
}

/** Why all entries fail before the first request: more would go out than allowed. */
async function tooMany<E extends Entry>(
	{ settings }: SendingRun<E>,
	claims: Claims,
	entries: Array<Keyed<E>>,
): Promise<ErrorText | null> {
	const one = new Map(entries.map((entry) => [entry.key.id, entry]));
	if (!settings.refuse || settings.refuse([...one.values()]) === null) return null;
	const gone = await claims.sentBefore([...one.values()].map(({ key }) => key));
	return settings.refuse([...one].flatMap(([id, entry]) => (gone.has(id) ? [] : [entry])));
}

/** Sends the entries of a run that have not been sent yet; the ledger says what became of them. */
class Sender<E extends Entry> {
	private readonly run: SendingRun<E> & { claims: Claims };
	/** What this try has claimed and not settled, by key. */
	private readonly claimed = new Set<string>();

	constructor(run: SendingRun<E> & { claims: Claims }) {
		this.run = run;
	}

	async sendAll(entries: Array<Keyed<E>>): Promise<void> {
		const { settings, context } = this.run;
		let open = entries;
		// Afterwards, what is unknown may be of this very run.
		let takesUnknown = settings.sendsUnknownAgain === true;
		while (open.length > 0) {
			const { later, isBusy } = await this.sendFree(open, takesUnknown);
			if (isBusy) await sleep(BUSY_WAIT, context.getExecutionCancelSignal());
			open = later;
			takesUnknown = false;
		}
	}

	/** Sends what nobody else is sending. @returns what to ask for again, and whether for another try's sake */
	private async sendFree(
		entries: Array<Keyed<E>>,
		takesUnknown: boolean,
	): Promise<{ later: Array<Keyed<E>>; isBusy: boolean }> {
		const { settings, claims } = this.run;
		const groups = settings.groups?.(entries) ?? entries.map((entry) => [entry]);
		const waiting = { later: [] as Array<Keyed<E>>, isBusy: false };
		try {
			await forEachBounded(
				this.claimedOf(groups, takesUnknown, waiting),
				settings.concurrency,
				async (group) => {
					await this.sendGroup(group);
				},
			);
		} finally {
			// Whatever left is settled: nothing was sent under these.
			const free = [...this.claimed].map((id): [string, Settlement] => [id, { state: 'not sent' }]);
			this.claimed.clear();
			await claims.settle(new Map(free));
		}
		return waiting;
	}

	/** What this run may send of each group, claimed shortly before. Of several with one key, one goes at a time. */
	private async *claimedOf(
		groups: Array<Array<Keyed<E>>>,
		takesUnknown: boolean,
		waiting: { later: Array<Keyed<E>>; isBusy: boolean },
	): AsyncGenerator<Array<Keyed<E>>> {
		const seen = new Set<string>();
		for (const some of chunk(groups, CLAIMED_TOGETHER)) {
			const first = some.map((group) =>
				group.filter((entry) => {
					const { id } = entry.key;
					const isFirst = !seen.has(id);
					seen.add(id);
					if (!isFirst) waiting.later.push(entry);
					return isFirst;
				}),
			);
			const claims = await this.claim(first.flat(), takesUnknown);
			for (const group of first) {
				const ours = group.filter((entry) => {
					const claim = claims.get(entry.key.id);
					if (claim?.state === 'ours') return true;
					if (claim?.state === 'busy') {
						waiting.later.push(entry);
						waiting.isBusy = true;
					} else if (claim) this.takeOver(entry, claim);
					return false;
				});
				if (ours.length > 0) yield ours;
			}
		}
	}

	/** Fails all of them where it cannot be known who may send them. */
	private async claim(
		entries: Array<Keyed<E>>,
		takesUnknown: boolean,
	): Promise<Map<string, Claim>> {
		const { context, claims } = this.run;
		const keys = entries.map(({ key }) => key);
		try {
			assertRunning(context);
			const answer = await claims.claim(keys, takesUnknown);
			for (const [id, { state }] of answer) if (state === 'ours') this.claimed.add(id);
			return answer;
		} catch (error) {
			if (!context.continueOnFail()) throw itemError(context, error);
			const reason = errorTextOf(itemError(context, error));
			for (const entry of entries) this.record(entry, { state: 'not sent', error: reason });
			return new Map();
		}
	}

	/** Gives an entry the result of the letter with its key. */
	private takeOver(entry: Keyed<E>, claim: Exclude<Claim, { state: 'ours' | 'busy' }>): void {
		const { posting } = this.run.operation;
		if (claim.state === 'sent') {
			const own = withAddresses(claim.outputs, posting.addresses?.(entry) ?? []);
			const outputs = own.map((output) => ({ ...output, alreadySent: true }));
			this.record(entry, { state: 'sent', outputs });
		} else if (claim.state === 'unknown') this.failUnknown([entry], claim.reason);
		else if (claim.state === 'limited')
			this.fail([entry], 'not sent', () => limitError(entry, claim.reason));
		else this.fail([entry], 'not sent', () => keyUsedError(entry, claim));
	}

	/**
	 * Sends entries in one request. Where the service refuses it for some of them, nothing of it went out, and each
	 * half goes by itself, down to single entries: so each has its own verdict.
	 */
	private async sendGroup(group: Array<Keyed<E>>): Promise<void> {
		const { posting } = this.run.operation;
		const answer = await this.answerTo(group);
		if ('outputs' in answer) {
			const { outputs } = answer;
			const kept = group.map((entry, at) =>
				this.record(entry, { state: 'sent', outputs: outputs[at] }),
			);
			await this.settle(group, (at) => kept[at]);
			return;
		}
		const { state, error } = answer;
		if (state === 'unknown') {
			await this.settle(group, () => ({ state: 'unknown', reason: error.message }));
			this.failUnknown(group, error.message);
			return;
		}
		for (const { itemIndex } of group) this.run.ledger.forget(itemIndex);
		if (group.length > 1 && isAboutSome(error)) {
			const middle = Math.ceil(group.length / 2);
			await this.sendGroup(group.slice(0, middle));
			await this.sendGroup(group.slice(middle));
			return;
		}
		await this.settle(group, () => ({ state: 'not sent' }));
		const { message, description, code, status } = posting.explain?.(error, group) ?? error;
		this.fail(group, 'not sent', () => ({ message, description, data: { code, status } }));
	}

	/** The ledger has the entries as leaving before it goes out; any failure between that and a clear answer leaves them unknown. */
	private async answerTo(
		entries: Array<Keyed<E>>,
	): Promise<
		{ outputs: IDataObject[][] } | { state: 'unknown' | 'not sent'; error: ServiceError }
	> {
		const { context, operation, ledger } = this.run;
		const { posting } = operation;
		let request: ServiceRequest;
		try {
			assertRunning(context);
			request = posting.request(entries);
		} catch (error) {
			return { state: 'not sent', error: ownError(error) };
		}
		for (const { itemIndex } of entries) ledger.record(itemIndex, { state: 'leaving' });
		try {
			const result = await callService(context, request);
			if ('error' in result) {
				return { state: result.carried === 'no' ? 'not sent' : 'unknown', error: result.error };
			}
			const { status, body } = result;
			const outputs = posting.read(status, body, entries);
			if (outputs !== null) return { outputs };
			return { state: 'unknown', error: unexpectedAnswer(status, body, posting.expects) };
		} catch (error) {
			return { state: 'unknown', error: ownError(error) };
		}
	}

	private async settle(
		entries: Array<Keyed<E>>,
		settlementOf: (at: number) => Settlement,
	): Promise<void> {
		const settlements = new Map<string, Settlement>();
		for (const [at, { key }] of entries.entries()) {
			const { id } = key;
			settlements.set(id, settlementOf(at));
			this.claimed.delete(id);
		}
		await this.run.claims.settle(settlements);
	}

	private failUnknown(entries: Array<Keyed<E>>, reason: string): void {
		const { posting } = this.run.operation;
		this.fail(entries, 'unknown', ({ itemIndex }) => unknownOutcome(posting, reason, itemIndex));
	}

	/** Records why entries were not sent, or may have been, and ends the run without Continue On Fail. */
	private fail(
		entries: Array<Keyed<E>>,
		state: 'unknown' | 'not sent',
		errorOf: (entry: Keyed<E>) => ErrorText,
	): void {
		for (const entry of entries) this.record(entry, { state, error: errorOf(entry) });
		if (this.run.context.continueOnFail()) return;
		const [first] = entries;
		throw itemErrorOf(this.run.context, errorOf(first), first.itemIndex);
	}

	private record<F extends Fate>({ itemIndex }: Entry, fate: F): F {
		return this.run.ledger.record(itemIndex, fate);
	}
}

/** Whether a request was refused for what it says of people, and so could go out without some of them. */
function isAboutSome({ status, code }: ServiceError): boolean {
	const isOfCustomer = code === 'customer-not-found' || code === 'customer-not-registered';
	return (status === 400 || status === 422) && !isOfCustomer;
}

function assertRunning(context: IExecuteFunctions): void {
	if (context.getExecutionCancelSignal()?.aborted !== true) return;
	throw new NodeOperationError(context.getNode(), 'Not sent: the execution was stopped first');
}

// A bug in the node's own code is not an answer from the service.
function ownError(error: unknown): ServiceError {
	return { message: (error as Error).message, description: '', code: null, status: null };
}

/** What follows adds to the outputs. */
function copyOf(verdict: Verdict): Verdict {
	return verdict.state === 'sent' ? { ...verdict, outputs: [...verdict.outputs] } : verdict;
}

function chunk<T>(list: readonly T[], size: number): T[][] {
	const count = Math.ceil(list.length / size);
	return Array.from({ length: count }, (_, at) => list.slice(at * size, (at + 1) * size));
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
