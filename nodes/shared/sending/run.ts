import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import { forEachBounded } from '../items/concurrency';
import { errorTextOf, itemError, type ErrorText } from '../items/perItem';
import { callService, type ServiceRequest } from '../transport/service';
import { unexpectedAnswer, type ServiceError } from '../transport/serviceError';
import type { Claim, ClaimKey, Claims } from './claims';
import { addressesOf, type Posting } from './entry';
import type { Fate, LastingFate } from './fate';
import {
	isAboutEntries,
	itemErrorOf,
	keyUsedError,
	refusalOf,
	unknownOutcome,
} from './entryErrors';
import { isolate } from './isolate';
import type { Tracked } from './ledger';
import { withAddresses, withoutPeople } from './people';
import { leadersOf, planRequests } from './plan';
import type { SendingSettings } from './settings';

/** Milliseconds to wait before asking again for a key that another try is sending under. */
const BUSY_WAIT = 1_000;

/**
 * Requests whose entries are claimed together, where the keys are the ledger's own. n8n rewrites
 * all keys of a node at each claim, some 30 ms for 50,000. When a process dies, the entries of so many
 * requests at most are unknown though they had not left; with keys of the user's, which later executions
 * ask for, only of the next *Concurrency*, claimed as soon as one of those before is back.
 */
const CLAIMED_TOGETHER = 20;

interface Parts<E extends Tracked> {
	context: IExecuteFunctions;
	posting: Posting<E>;
	settings: SendingSettings<E>;
	claims: Claims;
}

type Failed = 'unknown' | 'not sent';

/** One pass over the entries of a run that have not been sent yet; their fates say what became of them. */
export class Run<E extends Tracked> {
	private readonly context: IExecuteFunctions;
	private readonly posting: Posting<E>;
	private readonly settings: SendingSettings<E>;
	private readonly claims: Claims;

	constructor({ context, posting, settings, claims }: Parts<E>) {
		this.context = context;
		this.posting = posting;
		this.settings = settings;
		this.claims = claims;
	}

	async send(entries: readonly E[]): Promise<void> {
		const { leaders, followers, strangers } = leadersOf(entries);
		let groups = planRequests(leaders, this.settings.sharing);
		for (const [stranger, { once }] of strangers) {
			this.failUsed(stranger, { usedFor: once?.usedFor ?? null, on: null });
		}
		const refused = await this.tooMany(leaders);
		if (refused !== null) {
			this.fail(leaders, 'not sent', () => refused, refused);
			groups = [];
		}
		while (groups.length > 0) {
			const busy = await this.sendGroups(groups);
			if (busy.length === 0) break;
			await sleep(BUSY_WAIT, this.context.getExecutionCancelSignal());
			groups = planRequests(busy, this.settings.sharing);
		}
		for (const [follower, leader] of followers) {
			const { fate } = leader;
			follower.fate = fate.state === 'sent' ? already(fate.output) : fate;
		}
	}

	/** Why all entries fail before the first request: more would go out than allowed. */
	private async tooMany(entries: E[]): Promise<ErrorText | null> {
		const { refuse } = this.settings;
		if (!refuse || refuse(entries) === null) return null;
		const gone = await this.claims.known(keysOf(entries));
		return refuse(entries.filter(({ key }) => !gone.has(key.id)));
	}

	/** @returns the entries that another try is sending right now */
	private async sendGroups(groups: E[][]): Promise<E[]> {
		const { concurrency, isIsolating } = this.settings;
		const busy: E[] = [];
		const post = async (some: E[]) => await this.post(some);
		try {
			await forEachBounded(this.claimed(groups, busy), concurrency, async (group) => {
				await (isIsolating ? isolate(group, post) : post(group));
				await this.releaseUnsent(group);
			});
		} finally {
			await this.releaseUnsent(groups.flat());
		}
		return busy;
	}

	/** What this run may send of each group, claimed shortly before; what another sends goes to `busy`. */
	private async *claimed(groups: E[][], busy: E[]): AsyncGenerator<E[]> {
		const hasKeys = groups.some((group) => group.some(({ once }) => once));
		for (const some of chunk(groups, hasKeys ? this.settings.concurrency : CLAIMED_TOGETHER)) {
			const claims = await this.claim(some.flat());
			const having = (state: Claim['state'], among: E[]) =>
				among.filter((entry) => claims.get(entry)?.state === state);
			for (const [entry, claim] of claims) this.takeOver(entry, claim);
			busy.push(...having('busy', some.flat()));
			yield* some.map((group) => having('ours', group)).filter(({ length }) => length > 0);
		}
	}

	private async releaseUnsent(entries: E[]): Promise<void> {
		const unsent = entries.filter(({ hasLeft }) => !hasLeft);
		if (unsent.length > 0) await this.claims.release(keysOf(unsent));
	}

	/** Fails all of them where it cannot be known who may send them. */
	private async claim(entries: E[]): Promise<Map<E, Claim>> {
		try {
			this.assertRunning();
			const claims = await this.claims.claim(
				keysOf(entries),
				this.settings.sendsUnknownAgain === true,
			);
			return new Map(
				entries.map((entry) => [entry, claims.get(entry.key.id) ?? { state: 'busy' }]),
			);
		} catch (error) {
			const failed = itemError(this.context, error);
			this.record(entries, 'not sent', () => errorTextOf(failed));
			if (this.context.continueOnFail()) return new Map();
			throw itemError(this.context, error);
		}
	}

	/** Gives an entry the result of the letter with its key. */
	private takeOver(entry: E, claim: Claim): void {
		if (claim.state === 'sent') {
			entry.fate = already(withAddresses(claim.output, addressesOf(this.posting, [entry])));
		}
		if (claim.state === 'unknown') this.failUnknown([entry], claim.reason);
		if (claim.state === 'other') this.failUsed(entry, claim);
	}

	/**
	 * Sends entries in one request. The ledger marks them as leaving before it goes out, and any
	 * failure between that and a clear answer leaves them unknown.
	 *
	 * @returns the entries that the service named, if the others could get through without them; otherwise null
	 */
	private async post(entries: E[]): Promise<E[] | null> {
		const answer = await this.answerTo(entries);
		if ('outputs' in answer) {
			const { outputs } = answer;
			for (const [at, entry] of entries.entries()) {
				entry.fate = { state: 'sent', output: outputs[at] };
			}
			await this.keep(entries, (at) => ({ state: 'sent', output: withoutPeople(outputs[at]) }));
			return null;
		}
		const { verdict, error } = answer;
		if (verdict === 'unknown') {
			try {
				this.failUnknown(entries, error.message);
			} finally {
				await this.keep(entries, () => ({ state: 'unknown', reason: error.message }));
			}
			return null;
		}
		const { isIsolating } = this.settings;
		const { faulty, errorOf, summary } = refusalOf(this.posting, error, entries, isIsolating);
		this.fail(entries, 'not sent', errorOf, summary);
		return isAboutEntries(error, this.posting.rejects) ? faulty : null;
	}

	private async answerTo(
		entries: E[],
	): Promise<{ outputs: IDataObject[] } | { verdict: Failed; error: ServiceError }> {
		const { posting } = this;
		let request: ServiceRequest;
		try {
			this.assertRunning();
			request = posting.request(entries);
		} catch (error) {
			return { verdict: 'not sent', error: ownError(error) };
		}
		for (const entry of entries) entry.fate = { state: 'leaving' };
		try {
			const result = await callService(this.context, request);
			if ('error' in result) {
				return { verdict: result.carried === 'no' ? 'not sent' : 'unknown', error: result.error };
			}
			const { status, body } = result;
			const outputs = posting.read(status, body, entries);
			if (outputs !== null) return { outputs };
			return { verdict: 'unknown', error: unexpectedAnswer(status, body, posting.expects) };
		} catch (error) {
			return { verdict: 'unknown', error: ownError(error) };
		}
	}

	private async keep(entries: E[], fateOf: (at: number) => LastingFate): Promise<void> {
		const fates = entries.map(({ key }, at) => [key.id, fateOf(at)] as const);
		await this.claims.keep(new Map(fates));
	}

	private failUnknown(entries: E[], reason: string): void {
		const errorOf = ({ itemIndex }: E) => unknownOutcome(this.posting, reason, itemIndex);
		this.fail(entries, 'unknown', errorOf);
	}

	private failUsed(entry: E, used: Parameters<typeof keyUsedError>[1]): void {
		this.fail([entry], 'not sent', () => keyUsedError(entry, used));
	}

	/**
	 * Records why entries were not sent, or may have been, and ends the run without Continue On Fail.
	 *
	 * @param summary the error that ends it; default: that of the first entry
	 */
	private fail(
		entries: E[],
		state: Failed,
		errorOf: (entry: E) => ErrorText,
		summary?: ErrorText,
	): void {
		this.record(entries, state, errorOf);
		if (this.context.continueOnFail()) return;
		const [first] = entries;
		if (summary !== undefined) throw itemErrorOf(this.context, summary);
		throw itemErrorOf(this.context, errorOf(first), first.itemIndex);
	}

	private record(entries: E[], state: Failed, errorOf: (entry: E) => ErrorText): void {
		for (const entry of entries) {
			const error = errorOf(entry);
			// When entries succeed or fail together, one error covers all of the item's.
			const details = this.settings.isIsolating ? this.posting.details?.(entry) : {};
			const data = { ...error.data, ...details };
			entry.fate = { state, error: { ...error, data } };
		}
	}

	private assertRunning(): void {
		if (this.context.getExecutionCancelSignal()?.aborted !== true) return;
		throw new NodeOperationError(
			this.context.getNode(),
			'Not sent: the execution was stopped first',
		);
	}
}

function keysOf(entries: readonly Tracked[]): ClaimKey[] {
	return entries.map(({ key }) => key);
}

function already(output: IDataObject): Fate {
	return { state: 'sent', output: { ...output, alreadySent: true } };
}

function chunk<T>(list: readonly T[], size: number): T[][] {
	const count = Math.ceil(list.length / size);
	return Array.from({ length: count }, (_, at) => list.slice(at * size, (at + 1) * size));
}

// A bug in the node's own code is not an answer from the service.
function ownError(error: unknown): ServiceError {
	return { message: (error as Error).message, description: '', code: null, status: null };
}
