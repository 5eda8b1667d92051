import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import type { DeliveryCredential } from '../../../credentials/authenticate';
import { DEFAULT_CONCURRENCY } from '../items/concurrency';
import { failureOf, itemError } from '../items/itemError';
import { Tasks } from '../items/tasks';
import { callService, type ServiceRequest } from '../transport/service';
import {
	apiError,
	unexpectedAnswer,
	type Failure,
	type RequestFailure,
} from '../transport/serviceError';
import type { Claim, ClaimKey, Claims, Settlement } from './claims';
import type { Entry, SendingOperation, SendingSettings } from './entry';
import { keyUsedError, limitError, unknownOutcome } from './entryErrors';
import { withAddresses, type Ledger } from './ledger';

/**
 * Requests whose entries are claimed together, each claim being a request or a rewrite of n8n's list. When a
 * process dies, the entries of so many are of unknown outcome though they had not left.
 */
const CLAIMED_TOGETHER = 20;

/** Milliseconds to wait before asking again for a key that another try is sending under. */
const BUSY_WAIT = 1_000;

/** An entry with what it is claimed under. */
export type Keyed<E extends Entry> = E & { readonly key: ClaimKey };

/** What a run sends with. */
interface SendingRun<E extends Entry> {
	context: IExecuteFunctions;
	operation: SendingOperation<E>;
	settings: SendingSettings<E>;
	credential: DeliveryCredential;
	ledger: Ledger;
	claims: Claims;
}

/** Sends what was not sent under these keys yet. The ledger says what became of it. */
export async function sendEntries<E extends Entry>(
	run: SendingRun<E>,
	entries: ReadonlyArray<Keyed<E>>,
): Promise<void> {
	const { context, settings, ledger, claims } = run;
	const sender = new Sender(run);
	try {
		const refused = await refusal(run, entries);
		if (refused !== null) throw apiError(context, refused);
		let open = entries;
		// Afterwards, what is unknown may be of this very run.
		let takesUnknown = settings.sendsUnknownAgain === true;
		while (open.length > 0) {
			const { later, isBusy } = await sender.send(open, takesUnknown);
			if (isBusy) await sleep(BUSY_WAIT, context.getExecutionCancelSignal());
			open = later;
			takesUnknown = false;
		}
	} catch (error) {
		const reason = itemError(context, error);
		if (!context.continueOnFail()) throw reason;
		// If it were thrown, n8n would output the input, and every letter would look sent.
		for (const { itemIndex } of entries) {
			if (ledger.verdictOf(itemIndex) === null)
				ledger.record(itemIndex, { state: 'not sent', error: failureOf(reason) });
		}
	} finally {
		const free = new Map<string, Settlement>();
		for (const id of sender.unsent) free.set(id, { state: 'not sent' });
		await claims.settle(free);
	}
}

/** Why all entries fail before the first request, or null. Those that went out before do not count. */
async function refusal<E extends Entry>(
	{ settings, claims }: SendingRun<E>,
	entries: ReadonlyArray<Keyed<E>>,
): Promise<Failure | null> {
	const one = new Map(entries.map((entry) => [entry.key.id, entry]));
	if (!settings.refuse || settings.refuse([...one.values()]) === null) return null;
	const gone = await claims.sentBefore([...one.values()].map(({ key }) => key));
	return settings.refuse([...one].flatMap(([id, entry]) => (gone.has(id) ? [] : [entry])));
}

class Sender<E extends Entry> {
	/** The keys that this try has claimed, and of which nothing has left. */
	readonly unsent = new Set<string>();
	private readonly run: SendingRun<E>;

	constructor(run: SendingRun<E>) {
		this.run = run;
	}

	/**
	 * Sends what nobody else is sending, some claimed at a time.
	 *
	 * @returns what to ask for again, and whether for another try's sake
	 */
	async send(
		entries: ReadonlyArray<Keyed<E>>,
		takesUnknown: boolean,
	): Promise<{ later: Array<Keyed<E>>; isBusy: boolean }> {
		const { concurrency = DEFAULT_CONCURRENCY, groups: grouped } = this.run.settings;
		const groups = grouped?.(entries) ?? entries.map((entry) => [entry]);
		const waiting = { later: [] as Array<Keyed<E>>, isBusy: false };
		const seen = new Set<string>();
		const tasks = new Tasks();
		try {
			for (let at = 0; at < groups.length; at += CLAIMED_TOGETHER) {
				// Of several with one key, one goes at a time.
				const some = groups.slice(at, at + CLAIMED_TOGETHER).map((group) =>
					group.filter((entry) => {
						const { id } = entry.key;
						const isFirst = !seen.has(id);
						seen.add(id);
						if (!isFirst) waiting.later.push(entry);
						return isFirst;
					}),
				);
				const claims = await this.claim(some.flat(), takesUnknown);
				for (const group of some) {
					const ours: Array<Keyed<E>> = [];
					for (const entry of group) {
						const claim = claims.get(entry.key.id);
						if (claim?.state === 'ours') ours.push(entry);
						else if (claim?.state === 'busy') {
							waiting.later.push(entry);
							waiting.isBusy = true;
						} else if (claim) this.takeOver(entry, claim);
					}
					if (ours.length === 0) continue;
					await tasks.start(concurrency, async () => await this.sendGroup(ours));
				}
			}
		} finally {
			await tasks.end();
		}
		return waiting;
	}

	/** Fails all of them where it cannot be known who may send them. */
	private async claim(
		entries: Array<Keyed<E>>,
		takesUnknown: boolean,
	): Promise<Map<string, Claim>> {
		const { context, claims, ledger } = this.run;
		const keys = entries.map((entry) => this.keyOf(entry));
		try {
			assertRunning(context);
			const answer = await claims.claim(keys, takesUnknown);
			for (const [id, { state }] of answer) if (state === 'ours') this.unsent.add(id);
			return answer;
		} catch (error) {
			const reason = itemError(context, error);
			if (!context.continueOnFail()) throw reason;
			for (const { itemIndex } of entries) {
				ledger.record(itemIndex, { state: 'not sent', error: failureOf(reason) });
			}
			return new Map();
		}
	}

	/** The key of an entry; for a receiver with the letter, whose record begins so. */
	private keyOf(entry: Keyed<E>): ClaimKey {
		const { context, credential, operation } = this.run;
		const hasRecord = credential.followWith === 'receiver';
		const facts = hasRecord ? operation.posting.letter?.(entry) : null;
		if (!facts) return entry.key;
		const { id, name } = context.getWorkflow();
		const letter = {
			service: credential.baseUrl,
			type: null,
			sender: null,
			fileReference: null,
			customerReference: null,
			...facts,
			workflow: { id: String(id), name: String(name) },
			executionId: context.getExecutionId(),
		};
		return { ...entry.key, letter };
	}

	/** Gives an entry the result of the letter with its key. */
	private takeOver(entry: Keyed<E>, claim: Exclude<Claim, { state: 'ours' | 'busy' }>): void {
		const { operation, ledger } = this.run;
		const { itemIndex } = entry;
		if (claim.state === 'sent') {
			const own = withAddresses(claim.outputs, operation.posting.addresses?.(entry) ?? []);
			const outputs = own.map((output) => ({ ...output, alreadySent: true }));
			ledger.record(itemIndex, { state: 'sent', outputs });
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
		const { operation, ledger, claims } = this.run;
		const answer = await this.answerTo(group);
		if ('outputs' in answer) {
			const settlements = new Map<string, Settlement>();
			for (const [at, { itemIndex, key }] of group.entries()) {
				const outputs = answer.outputs[at];
				settlements.set(key.id, ledger.record(itemIndex, { state: 'sent', outputs }));
			}
			await claims.settle(settlements);
			return;
		}
		const { state, error } = answer;
		if (state === 'unknown') {
			await claims.settle(allOf(group, { state, reason: error.message }));
			this.failUnknown(group, error.message);
			return;
		}
		for (const { itemIndex, key } of group) {
			ledger.forget(itemIndex);
			this.unsent.add(key.id);
		}
		if (group.length > 1 && isAboutSome(error)) {
			const middle = Math.ceil(group.length / 2);
			await this.sendGroup(group.slice(0, middle));
			await this.sendGroup(group.slice(middle));
			return;
		}
		await claims.settle(allOf(group, { state }));
		const explained = operation.posting.explain?.(error, group) ?? error;
		this.fail(group, state, () => explained);
	}

	/** The ledger has the entries as leaving before it goes out; any failure between that and a clear answer leaves them unknown. */
	private async answerTo(
		group: Array<Keyed<E>>,
	): Promise<
		{ outputs: IDataObject[][] } | { state: 'unknown' | 'not sent'; error: RequestFailure }
	> {
		const { context, operation, ledger } = this.run;
		const { posting } = operation;
		let request: ServiceRequest;
		try {
			assertRunning(context);
			request = posting.request(group);
		} catch (error) {
			return { state: 'not sent', error: ownError(error) };
		}
		for (const { itemIndex, key } of group) {
			ledger.record(itemIndex, { state: 'leaving' });
			this.unsent.delete(key.id);
		}
		try {
			const result = await callService(context, request);
			if ('error' in result) {
				return { state: result.carried === 'no' ? 'not sent' : 'unknown', error: result.error };
			}
			const { status, body } = result;
			const outputs = posting.read(status, body, group);
			if (outputs !== null) return { outputs };
			return { state: 'unknown', error: unexpectedAnswer(status, body, posting.expects) };
		} catch (error) {
			return { state: 'unknown', error: ownError(error) };
		}
	}

	private failUnknown(entries: Array<Keyed<E>>, reason: string): void {
		const { posting } = this.run.operation;
		this.fail(entries, 'unknown', ({ itemIndex }) => unknownOutcome(posting, reason, itemIndex));
	}

	/** Records why entries were not sent, or may have been, and ends the run without Continue On Fail. */
	private fail(
		entries: Array<Keyed<E>>,
		state: 'unknown' | 'not sent',
		errorOf: (entry: Keyed<E>) => Failure,
	): void {
		const { context, ledger } = this.run;
		for (const entry of entries) ledger.record(entry.itemIndex, { state, error: errorOf(entry) });
		if (context.continueOnFail()) return;
		const [first] = entries;
		throw apiError(context, errorOf(first), first.itemIndex);
	}
}

function allOf<E extends Entry>(
	group: ReadonlyArray<Keyed<E>>,
	settlement: Settlement,
): Map<string, Settlement> {
	return new Map(group.map(({ key }) => [key.id, settlement]));
}

/** Whether a request was refused for what it says of people, and so could go out without some of them. */
function isAboutSome({ status, code }: RequestFailure): boolean {
	const isOfCustomer = code === 'customer-not-found' || code === 'customer-not-registered';
	return (status === 400 || status === 422) && !isOfCustomer;
}

function assertRunning(context: IExecuteFunctions): void {
	if (context.getExecutionCancelSignal()?.aborted !== true) return;
	throw new NodeOperationError(context.getNode(), 'Not sent: the execution was stopped first');
}

// A bug in the node's own code is not an answer from the service.
function ownError(error: unknown): RequestFailure {
	return { message: (error as Error).message, description: '', code: null, status: null };
}
