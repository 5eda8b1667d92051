import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import { forEachBounded } from '../items/concurrency';
import { itemError } from '../items/perItem';
import { callService, type ServiceRequest } from '../transport/service';
import { unexpectedAnswer, type ServiceError } from '../transport/serviceError';
import type { Claim, Claims, Settlement } from './claims';
import type { Entry, Posting, Verdict } from './entry';
import { errorTextOf, isAboutEntries, itemErrorOf, refusalOf, unknownOutcome } from './entryErrors';
import { isolate, type Outcome } from './isolate';
import type { ErrorText, Ledger, Line } from './ledger';
import { leadersOf, planBatches } from './plan';
import type { SendingSettings } from './settings';

/** Milliseconds to wait before asking again for a key that another run is sending under. */
const BUSY_WAIT = 1_000;

interface Parts<E extends Entry> {
	context: IExecuteFunctions;
	posting: Posting<E>;
	settings: SendingSettings<E>;
	ledger: Ledger;
	/** Null when no entry has a key. */
	claims: Claims | null;
}

type NotSent = Exclude<Verdict, 'sent'>;

/** One pass over the entries of a run that have not been sent yet; the ledger gets all results. */
export class Run<E extends Entry> {
	private readonly context: IExecuteFunctions;
	private readonly posting: Posting<E>;
	private readonly settings: SendingSettings<E>;
	private readonly ledger: Ledger;
	private readonly claims: Claims | null;

	constructor({ context, posting, settings, ledger, claims }: Parts<E>) {
		this.context = context;
		this.posting = posting;
		this.settings = settings;
		this.ledger = ledger;
		this.claims = claims;
	}

	async send(entries: readonly E[]): Promise<void> {
		const { sharing, concurrency } = this.settings;
		const { leaders, followers } = leadersOf(entries);
		const refused = await this.tooMany(leaders);
		if (refused !== null) this.fail(leaders, 'not sent', () => refused, { error: refused });
		let waiting = refused === null ? leaders : [];
		while (waiting.length > 0) {
			const busy: E[] = [];
			await forEachBounded(planBatches(waiting, sharing), concurrency, async (batch) => {
				busy.push(...(await this.sendBatch(batch)));
			});
			if (busy.length > 0) await sleep(BUSY_WAIT, this.context.getExecutionCancelSignal());
			waiting = busy;
		}
		for (const [follower, leader] of followers) {
			const line = this.ledger.read(leader);
			this.ledger.write(follower, line.state === 'sent' ? already(line.output) : line);
		}
	}

	/** Why all entries fail before the first request: more would go out than allowed. */
	private async tooMany(entries: E[]): Promise<ErrorText | null> {
		const { refuse } = this.settings;
		if (!refuse || refuse(entries) === null) return null;
		const gone = (await this.claims?.known(keysOf(entries))) ?? new Set<string>();
		return refuse(entries.filter(({ onceKey }) => !onceKey || !gone.has(onceKey)));
	}

	/** @returns the entries whose keys another run is sending under right now */
	private async sendBatch(batch: E[]): Promise<E[]> {
		let claimed: Map<string, Claim>;
		try {
			this.assertRunning();
			claimed = await this.claim(batch);
		} catch (error) {
			const failed = itemError(this.context, batch[0].itemIndex, error);
			this.record(batch, 'not sent', () => errorTextOf(failed));
			if (this.context.continueOnFail()) return [];
			throw itemError(this.context, batch[0].itemIndex, error);
		}
		const stateOf = ({ onceKey }: E): Claim =>
			(onceKey ? claimed.get(onceKey) : undefined) ?? { state: 'ours' };
		const ours = batch.filter((entry) => stateOf(entry).state === 'ours');
		try {
			for (const entry of batch) this.takeOver(entry, stateOf(entry));
			const post = async (some: E[]) => await this.post(some);
			const { isIsolating } = this.settings;
			if (ours.length > 0) await (isIsolating ? isolate(ours, post) : post(ours));
		} finally {
			await this.claims?.release(keysOf(ours.filter((entry) => !this.ledger.hasLeft(entry))));
		}
		return batch.filter((entry) => stateOf(entry).state === 'busy');
	}

	private async claim(batch: E[]): Promise<Map<string, Claim>> {
		const keys = keysOf(batch);
		if (this.claims === null || keys.length === 0) return new Map();
		return await this.claims.claim(keys, this.settings.sendsUnknownAgain === true);
	}

	/** Gives an entry the result of the letter with its key. */
	private takeOver(entry: E, claim: Claim): void {
		if (claim.state === 'sent') this.ledger.write(entry, already(claim.answer));
		if (claim.state === 'unknown') this.failUnknown([entry], claim.reason);
	}

	/**
	 * Sends entries in one request. The ledger marks them as leaving before it goes out, and any
	 * failure between that and a clear answer leaves them unknown.
	 */
	private async post(entries: E[]): Promise<Outcome<E>> {
		const answer = await this.answerTo(entries);
		if ('outputs' in answer) {
			const { outputs } = answer;
			for (const [at, entry] of entries.entries()) {
				this.ledger.write(entry, { state: 'sent', output: outputs[at] });
			}
			await this.settle(entries, (at) => ({ state: 'sent', answer: withoutBody(outputs[at]) }));
			return 'done';
		}
		const { verdict, error } = answer;
		if (verdict === 'unknown') {
			try {
				this.failUnknown(entries, error.message);
			} finally {
				await this.settle(entries, () => ({ state: 'unknown', reason: error.message }));
			}
			return 'failed';
		}
		const { isIsolating } = this.settings;
		const { faulty, errorOf, summary } = refusalOf(this.posting, error, entries, isIsolating);
		this.fail(entries, 'not sent', errorOf, summary);
		return isAboutEntries(error, this.posting.rejects) ? { faulty } : 'failed';
	}

	private async answerTo(
		entries: E[],
	): Promise<{ outputs: IDataObject[] } | { verdict: NotSent; error: ServiceError }> {
		const { posting } = this;
		let request: ServiceRequest;
		try {
			this.assertRunning();
			request = posting.request(entries);
		} catch (error) {
			return { verdict: 'not sent', error: ownError(error) };
		}
		for (const entry of entries) this.ledger.write(entry, { state: 'leaving' });
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

	private async settle(entries: E[], settlementOf: (at: number) => Settlement): Promise<void> {
		const settlements = new Map<string, Settlement>();
		for (const [at, { onceKey }] of entries.entries()) {
			if (onceKey) settlements.set(onceKey, settlementOf(at));
		}
		if (settlements.size > 0) await this.claims?.settle(settlements);
	}

	private failUnknown(entries: E[], reason: string): void {
		const errorOf = ({ itemIndex }: E) => unknownOutcome(this.posting, reason, itemIndex);
		this.fail(entries, 'unknown', errorOf);
	}

	/**
	 * Records why entries were not sent, or may have been, and ends the run without Continue On Fail.
	 *
	 * @param summary the error that ends it; default: that of the first entry
	 */
	private fail(
		entries: E[],
		state: NotSent,
		errorOf: (entry: E) => ErrorText,
		summary?: { error: ErrorText; itemIndex?: number },
	): void {
		this.record(entries, state, errorOf);
		if (this.context.continueOnFail()) return;
		const [first] = entries;
		const { error, itemIndex } = summary ?? { ...first, error: errorOf(first) };
		throw itemErrorOf(this.context, error, itemIndex);
	}

	private record(entries: E[], state: NotSent, errorOf: (entry: E) => ErrorText): void {
		for (const entry of entries) {
			const error = errorOf(entry);
			// When entries succeed or fail together, one error covers all of the item's.
			const details = this.settings.isIsolating ? this.posting.details?.(entry) : {};
			const data = { ...error.data, ...details };
			this.ledger.write(entry, { state, error: { ...error, data } });
		}
	}

	private assertRunning(): void {
		if (this.context.getExecutionCancelSignal()?.aborted !== true) return;
		throw new NodeOperationError(
			this.context.getNode(),
			'Not sent: the execution was stopped before its turn',
		);
	}
}

function already(output: IDataObject): Line {
	return { state: 'sent', output: { ...output, alreadySent: true } };
}

function keysOf(entries: readonly Entry[]): string[] {
	return entries.flatMap(({ onceKey }) => onceKey ?? []);
}

// Claims are kept for good, and a later execution does not need the letter's text.
function withoutBody(output: IDataObject): IDataObject {
	const kept = { ...output };
	delete kept.body;
	return kept;
}

// A bug in the node's own code is not an answer from the service.
function ownError(error: unknown): ServiceError {
	return { message: (error as Error).message, description: '', code: null, status: null };
}
