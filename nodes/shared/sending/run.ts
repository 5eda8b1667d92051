import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import { forEachBounded } from '../concurrency';
import { itemError, type ItemError } from '../perItem';
import { callService, type ServiceRequest } from '../service';
import { unexpectedAnswer, type Failure } from '../serviceError';
import type { Claim, Claims, Settlement } from './claims';
import type { Entry, EntryResult, Posting } from './entry';
import { partErrors, recalled, refusalOf, unknownError, wordsOf, type Refusal } from './errors';
import { isolate, type Answered, type Part } from './isolate';
import { NOT_SENT, type Ledger } from './ledger';
import { leadersOf, planBatches } from './plan';
import { isAboutEntries } from './refusal';
import type { SendingSettings } from './sendAll';

/** How long to wait, in milliseconds, before asking again for a key that somebody else sends under. */
const BUSY_WAIT = 1_000;

interface Parts<E extends Entry> {
	context: IExecuteFunctions;
	posting: Posting<E>;
	settings: SendingSettings<E>;
	ledger: Ledger;
	/** Null when no entry has a key. */
	claims: Claims | null;
}

/** One pass over the entries of a run that have not left yet. */
export class Run<E extends Entry> {
	private readonly context: IExecuteFunctions;
	private readonly posting: Posting<E>;
	private readonly settings: SendingSettings<E>;
	private readonly ledger: Ledger;
	private readonly claims: Claims | null;
	private readonly results = new Map<E, EntryResult>();

	constructor({ context, posting, settings, ledger, claims }: Parts<E>) {
		this.context = context;
		this.posting = posting;
		this.settings = settings;
		this.ledger = ledger;
		this.claims = claims;
	}

	async send(entries: readonly E[]): Promise<void> {
		const { sharing, concurrency, report } = this.settings;
		const { leaders, followers } = leadersOf(entries);
		let waiting = (await this.isRefused(leaders)) ? [] : leaders;
		while (waiting.length > 0) {
			const busy: E[] = [];
			await forEachBounded(planBatches(waiting, sharing), concurrency, async (batch) => {
				busy.push(...(await this.sendBatch(batch)));
				report?.(this.results.size, entries.length);
			});
			if (busy.length > 0) await sleep(BUSY_WAIT, this.context.getExecutionCancelSignal());
			waiting = busy;
		}
		for (const [follower, leader] of followers) {
			const result = this.resultOf(leader);
			this.results.set(follower, 'output' in result ? already(result.output) : result);
		}
	}

	/** @param broken what ended the run before the entry had a result, if anything did */
	resultOf(entry: E, broken?: unknown): EntryResult {
		const known = this.results.get(entry);
		if (known) return known;
		const line = this.ledger.read(entry);
		const { context, posting } = this;
		if (line.state === 'not sent' && broken !== undefined) {
			return { verdict: 'not sent', error: itemError(context, entry.itemIndex, broken) };
		}
		return recalled(context, posting, line, entry.itemIndex);
	}

	/** Whether more would go out than allowed; then all fail, before the first request. */
	private async isRefused(entries: E[]): Promise<boolean> {
		const { refuse } = this.settings;
		if (!refuse) return false;
		const gone = (await this.claims?.known(keysOf(entries))) ?? new Set<string>();
		const refusal = refuse(entries.filter(({ onceKey }) => !onceKey || !gone.has(onceKey)));
		if (refusal === null) return false;
		if (!this.context.continueOnFail()) throw refusal(null);
		for (const entry of entries) this.fail(entry, 'not sent', refusal(entry.itemIndex));
		return true;
	}

	/** @returns the entries whose keys somebody else is sending under at this moment */
	private async sendBatch(batch: E[]): Promise<E[]> {
		let claimed: Map<string, Claim>;
		try {
			this.assertRunning();
			claimed = await this.claim(batch);
		} catch (error) {
			for (const entry of batch) {
				this.fail(entry, 'not sent', itemError(this.context, entry.itemIndex, error));
			}
			return [];
		}
		const stateOf = ({ onceKey }: E): Claim =>
			(onceKey ? claimed.get(onceKey) : undefined) ?? { state: 'ours' };
		const ours = batch.filter((entry) => stateOf(entry).state === 'ours');
		try {
			for (const entry of batch) this.takeOver(entry, stateOf(entry));
		} catch (error) {
			// The run ends here, so the others of the batch do not leave.
			await this.claims?.release(keysOf(ours));
			throw itemError(this.context, batch[0].itemIndex, error);
		}
		if (ours.length > 0) await this.sendClaimed(ours);
		return batch.filter((entry) => stateOf(entry).state === 'busy');
	}

	private async claim(batch: E[]): Promise<Map<string, Claim>> {
		const keys = keysOf(batch);
		if (this.claims === null || keys.length === 0) return new Map();
		return await this.claims.claim(keys, this.settings.sendsUnknownAgain === true);
	}

	/** Gives an entry what became of its key's letter. */
	private takeOver(entry: E, claim: Claim): void {
		if (claim.state === 'sent') this.results.set(entry, already(claim.answer));
		if (claim.state === 'unknown') {
			const error = unknownError(this.context, this.posting, claim.reason, entry.itemIndex);
			this.fail(entry, 'unknown', error);
		}
	}

	private async sendClaimed(entries: E[]): Promise<void> {
		const parts = this.settings.isIsolating
			? await isolate(entries, async (some) => await this.post(some))
			: [asPart(entries, await this.post(entries))];
		for (const part of parts) {
			if ('done' in part) continue;
			const refusal = 'failed' in part ? part.failed : part.refused;
			if (refusal.verdict === 'not sent') await this.claims?.release(keysOf(part.entries));
			const { errors, summary } = partErrors(this.context, this.posting, part, this.settings);
			for (const [at, entry] of part.entries.entries()) {
				this.fail(entry, refusal.verdict, errors[at], summary);
			}
		}
	}

	/**
	 * Sends entries in one request. They stand in the ledger as leaving before it goes out, and whatever
	 * breaks between that and a clear answer leaves them unknown.
	 */
	private async post(entries: E[]): Promise<Answered<null, Refusal>> {
		const { context, posting } = this;
		let request: ServiceRequest;
		try {
			this.assertRunning();
			request = posting.request(entries);
		} catch (error) {
			return { failed: refusalOf(posting, failureOf(error), 'not sent', entries) };
		}
		for (const entry of entries) this.ledger.write(entry, { state: 'leaving' });
		let unclear: Failure;
		try {
			const result = await callService(context, request);
			if ('failure' in result && result.carried === 'no') {
				for (const entry of entries) this.ledger.write(entry, NOT_SENT);
				const refusal = refusalOf(posting, result.failure, 'not sent', entries);
				if (!isAboutEntries(result.failure, posting.scope)) return { failed: refusal };
				return { refused: refusal, faulty: [...refusal.reasons.keys()] };
			}
			const outputs =
				'failure' in result ? null : posting.read(result.status, result.body, entries);
			if (outputs !== null) return await this.keepSent(entries, outputs);
			unclear =
				'failure' in result
					? result.failure
					: unexpectedAnswer(result.status, result.body, posting.expects);
		} catch (error) {
			unclear = failureOf(error);
		}
		return await this.keepUnknown(entries, unclear);
	}

	private async keepSent(entries: E[], outputs: IDataObject[]): Promise<{ done: null }> {
		for (const [at, entry] of entries.entries()) {
			this.ledger.write(entry, { state: 'sent', output: outputs[at] });
			this.results.set(entry, { verdict: 'sent', output: outputs[at] });
		}
		await this.settle(entries, (at) => ({ state: 'sent', answer: withoutBody(outputs[at]) }));
		return { done: null };
	}

	private async keepUnknown(entries: E[], failure: Failure): Promise<{ failed: Refusal }> {
		for (const entry of entries) {
			const error = unknownError(this.context, this.posting, failure.message, entry.itemIndex);
			this.ledger.write(entry, { state: 'unknown', words: wordsOf(error) });
		}
		await this.settle(entries, () => ({ state: 'unknown', reason: failure.message }));
		return { failed: refusalOf(this.posting, failure, 'unknown', entries) };
	}

	private async settle(entries: E[], settlementOf: (at: number) => Settlement): Promise<void> {
		const settlements = new Map<string, Settlement>();
		for (const [at, { onceKey }] of entries.entries()) {
			if (onceKey) settlements.set(onceKey, settlementOf(at));
		}
		if (settlements.size > 0) await this.claims?.settle(settlements);
	}

	/** @param summary what ends the run, without Continue On Fail */
	private fail(
		entry: E,
		verdict: 'unknown' | 'not sent',
		error: ItemError,
		summary: ItemError = error,
	): void {
		// Where entries stand or fall together, one error is about all of an item's.
		if (this.settings.isIsolating) {
			Object.assign(error.context.data ?? {}, this.posting.details?.(entry));
		}
		const line = this.ledger.write(entry, { state: verdict, words: wordsOf(error) });
		const isSo = line.state === verdict;
		const { context, posting } = this;
		this.results.set(
			entry,
			isSo ? { verdict, error } : recalled(context, posting, line, entry.itemIndex),
		);
		if (!this.context.continueOnFail()) throw summary;
	}

	private assertRunning(): void {
		if (this.context.getExecutionCancelSignal()?.aborted !== true) return;
		throw new NodeOperationError(
			this.context.getNode(),
			'Not sent: the execution was stopped before its turn',
		);
	}
}

function already(output: IDataObject): EntryResult {
	return { verdict: 'sent', output: { ...output, alreadySent: true } };
}

function asPart<E>(entries: E[], answered: Answered<null, Refusal>): Part<E, null, Refusal> {
	if ('done' in answered) return { entries, done: null };
	return { entries, failed: 'failed' in answered ? answered.failed : answered.refused };
}

function keysOf(entries: readonly Entry[]): string[] {
	return entries.flatMap(({ onceKey }) => onceKey ?? []);
}

// A claim is kept for good, and the text of the letter is not what a later execution asks for.
function withoutBody(output: IDataObject): IDataObject {
	const kept = { ...output };
	delete kept.body;
	return kept;
}

// What breaks in the node itself is no answer of anybody's.
function failureOf(error: unknown): Failure {
	return { message: (error as Error).message, description: '', code: null, status: null };
}
