import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import {
	atomicFailure,
	entryError,
	reasonsFor,
	type Blameless,
	type Reasons,
	type SentEntry,
} from './atomicFailure';
import { isolate, type Attempt, type Part } from './isolate';
import { ISOLATED_BATCH } from './isolateField';
import { outputItem } from './perItem';
import { unknownOutcome } from './postOnce';
import { isAboutEntries, type RefusalScope } from './refusal';
import { runMemory } from './runMemory';
import { callService, type ServiceRequest } from './service';
import type { Failure } from './serviceError';

/** A request that costs money or writes to people, carried out for all of its entries or for none. */
export interface AtomicCall<Entry> {
	path: string;
	body(entries: Entry[]): ServiceRequest['body'];
	/** Where an entry comes from, and how the service names it. */
	sent(entry: Entry): SentEntry;
	/** Which refusals are about some of the entries. */
	scope: RefusalScope;
	/** Output items for the answer, in the order of the entries, paired with their input. */
	output(body: unknown, entries: Entry[]): INodeExecutionData[];
	/** Adds what the operation knows of a failure. */
	explain?(failure: Failure, entries: Entry[]): Failure;
	/** What an item is told that failed because of others. */
	blameless?(culprits: string, failure: Failure): Blameless;
	/** What tells an entry from the item's others, for the details of its error. */
	details?(entry: Entry): IDataObject;
}

/**
 * Sends entries, none of them twice in a run of the node: *Retry On Fail* starts the whole node again,
 * and then what has been answered is answered from memory, and what may have been carried out fails
 * again rather than go out again (design, section 5). That holds entry by entry, since those that go
 * together can change between two tries.
 *
 * @param entries JSON data, each different from the others
 * @param isIsolating leaves bad entries out and goes on with the rest; every entry then has a result
 * @throws NodeApiError that tells everything at once, without *Continue On Fail*
 */
export async function postEntries<Entry>(
	context: IExecuteFunctions,
	call: AtomicCall<Entry>,
	entries: Entry[],
	isIsolating: boolean,
): Promise<INodeExecutionData[]> {
	const poster = new Poster(context, call);
	const { parts, fresh } = poster.recall(entries);
	if (isIsolating) {
		for (let at = 0; at < fresh.length; at += ISOLATED_BATCH) {
			const batch = fresh.slice(at, at + ISOLATED_BATCH);
			parts.push(...(await isolate(batch, async (some) => await poster.attempt(some))));
		}
	} else if (fresh.length > 0) {
		const result = await poster.attempt(fresh);
		parts.push(
			'done' in result
				? { entries: fresh, done: result.done }
				: { entries: fresh, failed: 'failed' in result ? result.failed : result.refused },
		);
	}
	const results = parts.flatMap((part) => poster.results(part, isIsolating));
	const place = new Map(entries.map((entry, index) => [entry, index]));
	const order = (entry: Entry) => place.get(entry) ?? 0;
	return results.sort((a, b) => order(a.entry) - order(b.entry)).map(({ item }) => item);
}

/** What became of a request, and the keys of its entries in the order they went out. */
interface Posted {
	keys: string[];
	result: { body: unknown } | { unknown: string };
}

interface Refusal {
	failure: Failure;
	/** Of entries that were named, by their position in the request. */
	reasons: Reasons;
}

type EntryPart<Entry> = Part<Entry, unknown, Refusal>;

class Poster<Entry> {
	private readonly context: IExecuteFunctions;
	private readonly call: AtomicCall<Entry>;
	private readonly memory: Record<string, Posted>;

	constructor(context: IExecuteFunctions, call: AtomicCall<Entry>) {
		this.context = context;
		this.call = call;
		this.memory = runMemory<Posted>(context, 'postedEntries');
	}

	/** What this run has sent before, and what is left. */
	recall(entries: Entry[]): { parts: Array<EntryPart<Entry>>; fresh: Entry[] } {
		const earlier = new Map(
			Object.values(this.memory).flatMap((posted) => posted.keys.map((key) => [key, posted])),
		);
		const fresh: Entry[] = [];
		const again = new Map<Posted, Entry[]>();
		for (const entry of entries) {
			const posted = earlier.get(this.key(entry));
			if (posted) again.set(posted, [...(again.get(posted) ?? []), entry]);
			else fresh.push(entry);
		}
		const parts = [...again].map(([{ result }, some]) =>
			'body' in result
				? { entries: some, done: result.body }
				: { entries: some, failed: this.refusal(unknownOutcome(result.unknown), some) },
		);
		return { parts, fresh };
	}

	async attempt(entries: Entry[]): Promise<Attempt<unknown, Refusal>> {
		const { path, body, scope } = this.call;
		const result = await callService(this.context, { method: 'POST', path, body: body(entries) });
		if ('body' in result) {
			this.remember(entries, { body: result.body });
			return { done: result.body };
		}
		const { failure, carried } = result;
		if (carried === 'unknown') {
			this.remember(entries, { unknown: failure.message });
			return { failed: this.refusal(unknownOutcome(failure.message), entries) };
		}
		const refused = this.refusal(failure, entries);
		if (!isAboutEntries(failure, carried, scope)) return { failed: refused };
		return { refused, faulty: [...refused.reasons.keys()] };
	}

	/** Output items of a part, each with the entry whose place it takes. */
	results(
		part: EntryPart<Entry>,
		isIsolating: boolean,
	): Array<{ entry: Entry; item: INodeExecutionData }> {
		const { entries } = part;
		if ('done' in part) {
			const items = this.call.output(part.done, entries);
			const isKnown = items.length === entries.length;
			return items.map((item, index) => ({ entry: entries[isKnown ? index : 0], item }));
		}
		if (isIsolating) {
			return entries.map((entry, index) => this.errorResult(part, entry, index));
		}
		const { failure } = 'failed' in part ? part.failed : part.refused;
		const sent = entries.map((entry) => this.call.sent(entry));
		const { summary, byItem } = atomicFailure(
			this.context,
			failure,
			sent,
			(culprits) => this.call.blameless?.(culprits, failure) ?? failure,
		);
		if (!this.context.continueOnFail()) throw summary;
		return [...byItem].map(([itemIndex, error]) => ({
			entry: entries[sent.findIndex((one) => one.itemIndex === itemIndex)],
			item: outputItem({ error }, itemIndex),
		}));
	}

	private errorResult(
		part: Exclude<EntryPart<Entry>, { done: unknown }>,
		entry: Entry,
		index: number,
	): { entry: Entry; item: INodeExecutionData } {
		const { itemIndex } = this.call.sent(entry);
		const reasons = 'refused' in part ? part.refused.reasons.get(part.positions[index]) : undefined;
		const { failure } = 'refused' in part ? part.refused : part.failed;
		const error = entryError(this.context, failure, itemIndex, reasons);
		Object.assign(error.context.data as IDataObject, this.call.details?.(entry));
		return { entry, item: outputItem({ error }, itemIndex) };
	}

	private refusal(failure: Failure, entries: Entry[]): Refusal {
		const sent = entries.map((entry) => this.call.sent(entry));
		return {
			failure: this.call.explain?.(failure, entries) ?? failure,
			reasons: reasonsFor(failure, sent),
		};
	}

	private remember(entries: Entry[], result: Posted['result']): void {
		const keys = entries.map((entry) => this.key(entry));
		this.memory[digest(keys)] = { keys, result };
	}

	private key(entry: Entry): string {
		return digest([this.call.path, entry]);
	}
}

function digest(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
