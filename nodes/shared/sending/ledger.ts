import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { runMemory } from '../runMemory';
import type { Entry } from './entry';

/** What the ledger says of an entry. */
export type Line =
	/** The request is about to leave, or has left, and nobody has said yet what came of it. */
	| { state: 'leaving' }
	| { state: 'sent'; output: IDataObject }
	| { state: 'unknown' | 'not sent'; words: Words };

/** An error as far as it is shown again. */
export interface Words {
	message: string;
	description: string;
	/** Further members of the error's details. */
	data: IDataObject;
}

/** Of an entry that has not left, as long as nothing else is known of it. */
export const NOT_SENT: Line = {
	state: 'not sent',
	words: {
		message: 'Not sent: the run ended before its turn',
		description: 'Others of the same input item left. Send this one by itself.',
		data: { code: 'not-begun' },
	},
};

/**
 * What this run of the node has sent, by input item (design, section 5). *Retry On Fail*, or a retry
 * from n8n's list of executions, runs the whole node again: an item of which anything may have left is
 * then answered from here, whatever its expressions evaluate to by now; the others are read afresh.
 *
 * An entry is written down as leaving before its request goes out, so that whatever breaks afterwards
 * finds it unknown, and never as something that is still to be sent.
 */
export class Ledger {
	private readonly items: Record<string, Line[]>;
	private readonly places = new Map<Entry, { lines: Line[]; at: number; before: Line }>();

	constructor(context: IExecuteFunctions) {
		this.items = runMemory<Line[]>(context, 'ledger');
	}

	/** What became of the entries of an item; null if surely none of them has left. */
	recall(itemIndex: number): Line[] | null {
		const lines = this.items[itemIndex];
		return lines?.some(({ state }) => state !== 'not sent') ? lines : null;
	}

	/** Makes the entries of an item known, before the first of them leaves. */
	enter(itemIndex: number, entries: readonly Entry[]): void {
		const lines = this.recall(itemIndex) ?? entries.map(() => NOT_SENT);
		this.items[itemIndex] = lines;
		for (const [at, entry] of entries.entries()) {
			this.places.set(entry, { lines, at, before: lines[at] });
		}
	}

	read(entry: Entry): Line {
		const place = this.places.get(entry);
		return place ? place.lines[place.at] : NOT_SENT;
	}

	/**
	 * @returns what holds now: an entry that goes out again at the user's word, and does not get through
	 * this time, is as unknown as it was
	 */
	write(entry: Entry, line: Line): Line {
		const place = this.places.get(entry);
		if (!place) return line;
		const { lines, at, before } = place;
		const isStillUnknown = line.state === 'not sent' && before.state !== 'not sent';
		return (lines[at] = isStillUnknown ? before : line);
	}
}
