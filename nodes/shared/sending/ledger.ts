import type { IExecuteFunctions } from 'n8n-workflow';

import type { ErrorText } from '../items/perItem';
import { executionName, runMemory, runName } from '../items/runMemory';
import type { ClaimKey } from './claims';
import type { Entry } from './entry';
import type { Fate } from './fate';

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
		this.name = `ledger ${executionName(context)} ${runName(context)}`;
	}

	/** All that is recorded of an item, one fate per entry; a single one if the item was invalid. */
	fatesOf(itemIndex: number): Fate[] {
		return this.items[itemIndex] ?? [];
	}

	/** What became of an item's entries; null if certainly none was sent. */
	recall(itemIndex: number): Fate[] | null {
		const fates = this.fatesOf(itemIndex);
		return fates.some(({ state }) => state !== 'not sent') ? fates : null;
	}

	/** Registers an item's entries before the first of them is sent. */
	enter<E extends Entry>(itemIndex: number, entries: readonly E[]): Array<Tracked<E>> {
		const fates = this.recall(itemIndex) ?? entries.map(() => NOT_SENT);
		this.items[itemIndex] = fates;
		return entries.map((entry, at) => track(entry, this.keyOf(entry, at), fates, at));
	}

	/** Records an item that is not to be sent, unless something of it was sent before. */
	reject(itemIndex: number, fate: Extract<Fate, { error: ErrorText }>): void {
		this.items[itemIndex] = this.recall(itemIndex) ?? [fate];
	}

	/** The key that an entry is claimed under: the same in all retries of an execution. */
	private keyOf({ once, itemIndex }: Entry, at: number): ClaimKey {
		if (once) return once;
		return { text: `${this.name} ${itemIndex} ${at}`, usedFor: null, isOwn: true };
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

function track<E extends Entry>(entry: E, key: ClaimKey, fates: Fate[], at: number): Tracked<E> {
	const before = fates[at];
	let hasLeft = false;
	return {
		...entry,
		key,
		get hasLeft() {
			return hasLeft;
		},
		get fate() {
			return fates[at];
		},
		set fate(fate: Fate) {
			hasLeft = fate.state !== 'not sent';
			fates[at] = hasLeft || before.state === 'not sent' ? fate : before;
		},
	};
}
