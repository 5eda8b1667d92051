import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import { forEachBounded } from '../items/concurrency';
import { itemError, type ItemError } from '../items/perItem';
import { callService, type ServiceRequest, type ServiceResult } from '../transport/service';
import { unexpectedAnswer, type ServiceError } from '../transport/serviceError';
import type { Claim, Claims, Settlement } from './claims';
import type { Entry, EntryResult, Posting, Verdict } from './entry';
import {
	isAboutEntries,
	isolatedErrors,
	notSent,
	recalled,
	sharedErrors,
	unknownErrors,
	errorTextOf,
	type NotSent,
} from './entryErrors';
import { isolate, type Outcome, type Part } from './isolate';
import { NOT_SENT, type Ledger } from './ledger';
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

/** One pass over the entries of a run that have not been sent yet. */
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
		const { sharing, concurrency } = this.settings;
		const { leaders, followers } = leadersOf(entries);
		let waiting = (await this.refuse(leaders)) ? [] : leaders;
		while (waiting.length > 0) {
			const busy: E[] = [];
			await forEachBounded(planBatches(waiting, sharing), concurrency, async (batch) => {
				busy.push(...(await this.sendBatch(batch)));
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

	/**
	 * Fails all entries before the first request if more would go out than allowed.
	 *
	 * @returns whether it did
	 */
	private async refuse(entries: E[]): Promise<boolean> {
		const { refuse } = this.settings;
		if (!refuse) return false;
		const gone = (await this.claims?.known(keysOf(entries))) ?? new Set<string>();
		const errorOf = refuse(entries.filter(({ onceKey }) => !onceKey || !gone.has(onceKey)));
		if (errorOf === null) return false;
		if (!this.context.continueOnFail()) throw errorOf(null);
		for (const entry of entries) this.fail(entry, 'not sent', errorOf(entry.itemIndex));
		return true;
	}

	/** @returns the entries whose keys another run is sending under right now */
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
			// The run ends here, so the rest of the batch is not sent.
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

	/** Gives an entry the result of the letter with its key. */
	private takeOver(entry: E, claim: Claim): void {
		if (claim.state === 'sent') this.results.set(entry, already(claim.answer));
		if (claim.state !== 'unknown') return;
		const error: ServiceError = { ...NO_ANSWER, message: claim.reason };
		this.fail(entry, 'unknown', unknownErrors(this.context, this.posting, [entry], error).summary);
	}

	private async sendClaimed(entries: E[]): Promise<void> {
		const parts: Array<Part<E, NotSent<E>>> = this.settings.isIsolating
			? await isolate(entries, async (some) => await this.post(some))
			: [{ entries, ...(await this.post(entries)) }];
		for (const part of parts) {
			if ('isDone' in part) continue;
			const reason = 'failed' in part ? part.failed : part.rejected;
			if (reason.verdict === 'not sent') await this.claims?.release(keysOf(part.entries));
			const { errors, summary } = this.errorsOf(part.entries, reason, 'rejected' in part);
			for (const [at, entry] of part.entries.entries()) {
				this.fail(entry, reason.verdict, errors[at], summary);
			}
		}
	}

	private errorsOf(entries: E[], reason: NotSent<E>, isRejected: boolean) {
		const { context, posting, settings } = this;
		const { verdict, error, reasons } = reason;
		if (verdict === 'unknown') return unknownErrors(context, posting, entries, error);
		if (!settings.isIsolating) return sharedErrors(context, posting, entries, reason);
		return isolatedErrors(context, entries, { error, reasons: isRejected ? reasons : new Map() });
	}

	/**
	 * Sends entries in one request. The ledger marks them as leaving before it goes out, and any
	 * failure between that and a clear answer leaves them unknown.
	 */
	private async post(entries: E[]): Promise<Outcome<E, NotSent<E>>> {
		const { context, posting } = this;
		let request: ServiceRequest;
		try {
			this.assertRunning();
			request = posting.request(entries);
		} catch (error) {
			return { failed: notSent(posting, 'not sent', ownError(error), entries) };
		}
		for (const entry of entries) this.ledger.write(entry, { state: 'leaving' });
		try {
			return await this.keep(entries, await callService(context, request));
		} catch (error) {
			return await this.keepUnknown(entries, ownError(error));
		}
	}

	private async keep(entries: E[], result: ServiceResult): Promise<Outcome<E, NotSent<E>>> {
		if ('error' in result) {
			if (result.carried === 'no') return this.keepNotSent(entries, result.error);
			return await this.keepUnknown(entries, result.error);
		}
		const { status, body } = result;
		const outputs = this.posting.read(status, body, entries);
		if (outputs !== null) return await this.keepSent(entries, outputs);
		const error = unexpectedAnswer(status, body, this.posting.expects);
		return await this.keepUnknown(entries, error);
	}

	private keepNotSent(entries: E[], error: ServiceError): Outcome<E, NotSent<E>> {
		for (const entry of entries) this.ledger.write(entry, NOT_SENT);
		const reason = notSent(this.posting, 'not sent', error, entries);
		if (!isAboutEntries(error, this.posting.rejects)) return { failed: reason };
		return { rejected: reason, faulty: [...reason.reasons.keys()] };
	}

	private async keepSent(entries: E[], outputs: IDataObject[]): Promise<{ isDone: true }> {
		for (const [at, entry] of entries.entries()) {
			this.ledger.write(entry, { state: 'sent', output: outputs[at] });
			this.results.set(entry, { verdict: 'sent', output: outputs[at] });
		}
		await this.settle(entries, (at) => ({ state: 'sent', answer: withoutBody(outputs[at]) }));
		return { isDone: true };
	}

	private async keepUnknown(entries: E[], error: ServiceError): Promise<{ failed: NotSent<E> }> {
		const { errors } = unknownErrors(this.context, this.posting, entries, error);
		for (const [at, entry] of entries.entries()) {
			this.ledger.write(entry, { state: 'unknown', error: errorTextOf(errors[at]) });
		}
		await this.settle(entries, () => ({ state: 'unknown', reason: error.message }));
		return { failed: notSent(this.posting, 'unknown', error, entries) };
	}

	private async settle(entries: E[], settlementOf: (at: number) => Settlement): Promise<void> {
		const settlements = new Map<string, Settlement>();
		for (const [at, { onceKey }] of entries.entries()) {
			if (onceKey) settlements.set(onceKey, settlementOf(at));
		}
		if (settlements.size > 0) await this.claims?.settle(settlements);
	}

	/** @param summary the error that ends the run without Continue On Fail */
	private fail(
		entry: E,
		verdict: Exclude<Verdict, 'sent'>,
		error: ItemError,
		summary: ItemError = error,
	): void {
		const { context, posting, settings } = this;
		// When entries succeed or fail together, one error covers all of the item's.
		if (settings.isIsolating) Object.assign(error.context.data ?? {}, posting.details?.(entry));
		const line = this.ledger.write(entry, { state: verdict, error: errorTextOf(error) });
		const isWritten = line.state === verdict;
		this.results.set(
			entry,
			isWritten ? { verdict, error } : recalled(context, posting, line, entry.itemIndex),
		);
		if (!context.continueOnFail()) throw summary;
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

function keysOf(entries: readonly Entry[]): string[] {
	return entries.flatMap(({ onceKey }) => onceKey ?? []);
}

// Claims are kept for good, and a later execution does not need the letter's text.
function withoutBody(output: IDataObject): IDataObject {
	const kept = { ...output };
	delete kept.body;
	return kept;
}

const NO_ANSWER: ServiceError = { message: '', description: '', code: null, status: null };

// A bug in the node's own code is not an answer from the service.
function ownError(error: unknown): ServiceError {
	return { ...NO_ANSWER, message: (error as Error).message };
}
