import type { IExecuteFunctions } from 'n8n-workflow';

import type { ErrorText } from '../items/perItem';
import { executionName, runMemory, runName } from '../items/runMemory';
import { ownKey, type ClaimKey } from './claims';
import type { Entry } from './entry';
import type { Fate } from './fate';
import { withAddresses, withoutPeople } from './people';

/** An entry that has not been sent, until more is known. */
export const NOT_SENT: Fate = {
	state: 'not sent',
	error: {
		message: 'Not sent: the run ended first',
		description: 'Others of the same input item were sent. Send this one separately.',
		data: { code: 'not-begun' },
	},
};

/**
 * What this run of the node has sent, by input item. *Retry On Fail*, or a retry from n8n's list of
 * executions, runs the whole node again: the ledger then answers for every item of which anything
 * may have been sent, whatever its expressions evaluate to by now; the others are read again.
 *
 * n8n saves it with the execution, and each retry from the list starts from a copy, of which the
 * original never learns; an execution that was killed or stopped is saved without it. What other
 * retries sent is therefore known by claims: every entry has a key, the user's or `keyOf` here.
 *
 * An entry is recorded as leaving before its request goes out. Any failure afterwards finds it
 * unknown, never still to be sent.
 */
export class Ledger {
	private readonly items: Record<string, Fate[]>;
	private readonly name: string;

	constructor(context: IExecuteFunctions) {
		this.items = runMemory<Fate[]>(context, 'ledger');
		// By the node's name, as n8n keeps its context: a node that was cut and pasted has another id.
		this.name = `ledger ${executionName(context)} ${runName(context)} ${context.getNode().name}`;
	}

	/** All that is recorded of an item, one fate per entry; a single one if the item was invalid. */
	fatesOf(itemIndex: number): Fate[] {
		return this.recordsOf(itemIndex).map(wholeOf);
	}

	/** What became of an item's entries; null if certainly none was sent. */
	recall(itemIndex: number): Fate[] | null {
		const fates = this.fatesOf(itemIndex);
		return fates.some(({ state }) => state !== 'not sent') ? fates : null;
	}

	/** Whether what is recorded of an item comes from n8n's store, which has no addresses. */
	lacksAddresses(itemIndex: number): boolean {
		const isLacking = (one: Fate) => one.state !== 'not sent' && !whole.has(one);
		return this.recordsOf(itemIndex).some(isLacking);
	}

	/** Puts the addresses of an item back into what is recorded of it. */
	address(itemIndex: number, addresses: Array<string | null>): void {
		for (const one of this.recordsOf(itemIndex)) {
			if (!whole.has(one)) whole.set(one, withAddresses(one, addresses));
		}
	}

	/** Registers an item's entries before the first of them is sent. */
	enter<E extends Entry>(itemIndex: number, entries: readonly E[]): Array<Tracked<E>> {
		if (this.recall(itemIndex) === null) this.items[itemIndex] = entries.map(() => NOT_SENT);
		const records = this.recordsOf(itemIndex);
		return entries.map((entry, at) => track(entry, this.keyOf(entry, at), records, at));
	}

	/** Records an item that is not to be sent, unless something of it was sent before. */
	reject(itemIndex: number, fate: Extract<Fate, { error: ErrorText }>): void {
		if (this.recall(itemIndex) === null) this.items[itemIndex] = [recordOf(fate)];
	}

	private recordsOf(itemIndex: number): Fate[] {
		return this.items[itemIndex] ?? [];
	}

	/** The key that an entry is claimed under: the same in all retries of an execution. */
	private keyOf({ once, itemIndex }: Entry, at: number): ClaimKey {
		return once ?? ownKey(`${this.name} ${itemIndex} ${at}`);
	}
}

/** An entry that the ledger follows. */
export type Tracked<E extends Entry = Entry> = E & {
	/** What it is claimed under. */
	readonly key: ClaimKey;
	/** What became of it. One the user chose to resend, and that fails this time, stays as unknown as before. */
	fate: Fate;
	/** Whether this try may have sent it. */
	readonly hasLeft: boolean;
};

/** The whole of what is recorded, for as long as this process runs. */
const whole = new WeakMap<Fate, Fate>();

function wholeOf(record: Fate): Fate {
	return whole.get(record) ?? record;
}

/** What n8n stores of a fate: nothing that is about people, and why nothing was sent is found anew. */
function recordOf(fate: Fate): Fate {
	const record = fate.state === 'not sent' ? { ...NOT_SENT } : withoutPeople(fate);
	whole.set(record, fate);
	return record;
}

function track<E extends Entry>(entry: E, key: ClaimKey, records: Fate[], at: number): Tracked<E> {
	const before = records[at];
	let hasLeft = false;
	return {
		...entry,
		key,
		get hasLeft() {
			return hasLeft;
		},
		get fate() {
			return wholeOf(records[at]);
		},
		set fate(fate: Fate) {
			hasLeft = fate.state !== 'not sent';
			records[at] = hasLeft || before.state === 'not sent' ? recordOf(fate) : before;
		},
	};
}
