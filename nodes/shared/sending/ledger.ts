import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { addressKey } from '../../../webhook-receiver/src/core/address';
import type { Failure } from '../transport/serviceError';
import { executionName, runMemory, runName } from '../items/runMemory';
import type { Fate, Posting, Verdict } from './entry';
import { interrupted, OUTCOME_UNKNOWN } from './entryErrors';

/**
 * What this run of the node has sent, by input item. *Retry On Fail*, or a retry from n8n's list of
 * executions, runs the whole node again: the ledger then answers for every item that may have been sent,
 * whatever its expressions evaluate to by now; the others are read again.
 *
 * n8n saves it with the execution, and each retry from the list starts from a copy, of which the
 * original never learns; an execution that was killed or stopped is saved without it. What other
 * retries sent is therefore known by claims: every entry has a key, the user's or one of the ledger's name.
 */
export class Ledger {
	/** The same in all retries of an execution. */
	readonly name: string;
	private readonly context: IExecuteFunctions;
	private readonly posting: Pick<Posting<never>, 'unclear'>;
	/** In n8n's store: of items that may have been sent. */
	private readonly records: Record<string, Fate>;
	/** What earlier tries left there, and what items were when they came back. */
	private readonly before: Map<number, Fate>;
	/** What became of items by now. */
	private readonly fates = new Map<number, Fate>();

	constructor(context: IExecuteFunctions, posting: Pick<Posting<never>, 'unclear'>) {
		this.context = context;
		this.posting = posting;
		this.records = runMemory<Fate>(context, 'ledger');
		this.before = new Map(
			Object.entries(this.records).map(([item, record]) => [Number(item), record]),
		);
		// By the node's name, as n8n keeps its context: a node that was cut and pasted has another id.
		this.name = `ledger ${executionName(context)} ${runName(context)} ${context.getNode().name}`;
	}

	/** What became of an item before this try; null if it certainly was not sent. */
	recall(itemIndex: number): Verdict | null {
		if (!this.before.has(itemIndex)) {
			const error = unknownBefore(this.context, itemIndex);
			if (error === null) return null;
			this.before.set(itemIndex, this.record(itemIndex, { state: 'unknown', error }));
		}
		return this.verdictOf(itemIndex);
	}

	/** What became of an item in this try or an earlier one; null if nothing is known. */
	verdictOf(itemIndex: number): Verdict | null {
		const record = this.before.get(itemIndex) ?? null;
		const fate = this.fates.get(itemIndex) ?? (record && (whole.get(record) ?? record));
		return fate?.state === 'leaving' ? interrupted(this.posting, itemIndex) : fate;
	}

	/** Whether what an earlier try left of an item comes from n8n's store, which has no addresses. */
	lacksAddresses(itemIndex: number): boolean {
		const record = this.before.get(itemIndex);
		return record !== undefined && !whole.has(record);
	}

	/** Puts the addresses of an item back into what an earlier try left of it. */
	address(itemIndex: number, addresses: string[]): void {
		const record = this.before.get(itemIndex);
		if (record) whole.set(record, withAddresses(record, addresses));
	}

	/**
	 * Records what became of an item. One that may have been sent before never becomes one that was not.
	 *
	 * @returns what may be kept of it
	 */
	record<F extends Fate>(itemIndex: number, fate: F): F {
		if (fate.state === 'not sent') {
			this.forget(itemIndex);
			if (!this.before.has(itemIndex)) this.fates.set(itemIndex, fate);
			return fate;
		}
		const record = fate.state === 'leaving' ? fate : withoutPeople(fate);
		whole.set(record, fate);
		this.records[itemIndex] = record;
		this.fates.set(itemIndex, fate);
		return record;
	}

	/** Of this try, nothing of the item went out. */
	forget(itemIndex: number): void {
		const before = this.before.get(itemIndex);
		if (before) this.records[itemIndex] = before;
		else delete this.records[itemIndex];
		this.fates.delete(itemIndex);
	}
}

/** The whole of what is recorded, for as long as this process runs: n8n stores nothing that is about people. */
const whole = new WeakMap<Fate, Fate>();

/**
 * The error that an item had when it left this node, or another of this pack, of unknown outcome: an error output was
 * wired back. Null for any other item.
 */
function unknownBefore(context: IExecuteFunctions, itemIndex: number): Failure | null {
	const items = [context.getInputData().at(itemIndex), ownOutput(context, itemIndex)];
	for (const item of items) {
		const { description, code, ...data } = (item?.json.details ?? {}) as IDataObject;
		if (code !== OUTCOME_UNKNOWN) continue;
		const message = String(item?.json.error);
		return { message, description: String(description ?? ''), code, status: null, data };
	}
	return null;
}

/**
 * The item that this node put out in an earlier round of a loop and that an input item goes back to, whatever
 * it has become since; null if there is none, or if n8n's item linking does not lead there.
 */
function ownOutput(context: IExecuteFunctions, itemIndex: number): INodeExecutionData | null {
	const [link] = [context.getInputData().at(itemIndex)?.pairedItem ?? []].flat();
	if (link === undefined || context.isToolExecution()) return null;
	const { $runIndex, $getPairedItem } = context.getWorkflowDataProxy(itemIndex);
	if ($runIndex === 0) return null;
	const pairedItem = typeof link === 'number' ? { item: link } : link;
	const source = context.getExecuteData().source?.main[pairedItem.input ?? 0];
	try {
		return ($getPairedItem as Resolve)(context.getNode().name, source, pairedItem);
	} catch {
		return null;
	}
}

type Resolve = (node: string, source: unknown, pairedItem: object) => INodeExecutionData;

/** Members that say who something is about, what was written to them, or that open something. */
const LEFT_OUT = ['body', 'firstname', 'lastname', 'company', 'name', 'delegationToken'];

/** Words that may quote what the service or a proxy said of somebody. */
const WORDS = ['message', 'description', 'reason'];
const ANY_ADDRESS = /[^\s"'<>(),;:]+@[^\s"'<>(),;:]+/g;

/**
 * An output, or what has one, as it is kept after its run, in places that n8n neither redacts nor erases:
 * without texts and names, and of addresses only digests, which tell the recipients of a letter apart.
 */
function withoutPeople<T extends object>(kept: T): T {
	return rewritten(kept, (member, value) => {
		if (LEFT_OUT.includes(member)) return undefined;
		if (WORDS.includes(member) && typeof value === 'string') return value.replace(ANY_ADDRESS, '…');
		return member === 'email' && typeof value === 'string' ? addressDigest(value) : value;
	});
}

/** The same with the addresses that its item names, and without those that it no longer does. */
export function withAddresses<T extends object>(kept: T, addresses: string[]): T {
	const known = new Map(addresses.map((address) => [addressDigest(address), address]));
	return rewritten(kept, (member, value) => {
		// A person who reported a letter to the receiver by hand may have named its address.
		if (member !== 'email' || String(value).includes('@')) return value;
		return known.get(String(value)) ?? undefined;
	});
}

function rewritten<T extends object>(kept: T, as: (member: string, value: unknown) => unknown): T {
	return JSON.parse(JSON.stringify(kept, as)) as T;
}

function addressDigest(address: string): string {
	return createHash('sha256').update(addressKey(address)).digest('base64url').slice(0, 8);
}
