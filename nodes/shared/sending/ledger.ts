import type { IExecuteFunctions } from 'n8n-workflow';

import { executionName, runMemory, runName } from '../items/runMemory';
import { ownKey, type ClaimKey } from './claims';
import type { Entry, Fate } from './entry';
import { withAddresses, withoutPeople } from './people';

/**
 * What this run of the node has sent, by input item. *Retry On Fail*, or a retry from n8n's list of
 * executions, runs the whole node again: the ledger then answers for every item that may have been sent,
 * whatever its expressions evaluate to by now; the others are read again.
 *
 * n8n saves it with the execution, and each retry from the list starts from a copy, of which the
 * original never learns; an execution that was killed or stopped is saved without it. What other
 * retries sent is therefore known by claims: every entry has a key, the user's or `keyOf` here.
 */
export class Ledger {
	/** In n8n's store: of items that may have been sent. */
	private readonly records: Record<string, Fate>;
	/** What earlier tries left there. */
	private readonly before: ReadonlyMap<number, Fate>;
	/** What became of items by now. */
	private readonly fates = new Map<number, Fate>();
	private readonly name: string;

	constructor(context: IExecuteFunctions) {
		this.records = runMemory<Fate>(context, 'ledger');
		this.before = new Map(
			Object.entries(this.records).map(([item, record]) => [Number(item), record]),
		);
		// By the node's name, as n8n keeps its context: a node that was cut and pasted has another id.
		this.name = `ledger ${executionName(context)} ${runName(context)} ${context.getNode().name}`;
	}

	/** What became of an item in this try or an earlier one; null if nothing is known. */
	fateOf(itemIndex: number): Fate | null {
		return this.fates.get(itemIndex) ?? this.recall(itemIndex);
	}

	/** What became of an item in an earlier try; null if it certainly was not sent. */
	recall(itemIndex: number): Fate | null {
		const record = this.before.get(itemIndex);
		return record ? (whole.get(record) ?? record) : null;
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

	/** The key that an entry is claimed under: the same in all retries of an execution. */
	keyOf({ once, itemIndex }: Entry): ClaimKey {
		return once ?? ownKey(`${this.name} ${itemIndex}`);
	}
}

/** The whole of what is recorded, for as long as this process runs: n8n stores nothing that is about people. */
const whole = new WeakMap<Fate, Fate>();
