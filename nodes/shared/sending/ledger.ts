import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { runMemory } from '../items/runMemory';
import type { Entry } from './entry';

/** The ledger's record of an entry. */
export type Line =
	/** The request is about to go out or has gone out; its result is not known yet. */
	| { state: 'leaving' }
	| { state: 'sent'; output: IDataObject }
	| { state: 'unknown' | 'not sent'; error: ErrorText };

/** The parts of an error that a retry shows again. */
export interface ErrorText {
	message: string;
	description: string;
	/** Further members of the error's details. */
	data: IDataObject;
}

/** An entry that has not been sent, until more is known. */
export const NOT_SENT: Line = {
	state: 'not sent',
	error: {
		message: 'Not sent: the run ended before its turn',
		description: 'Others of the same input item left. Send this one by itself.',
		data: { code: 'not-begun' },
	},
};

/**
 * What this run of the node has sent, by input item (design, section 5). *Retry On Fail*, or a
 * retry from n8n's list of executions, runs the whole node again: the ledger then answers for every
 * item of which anything may have been sent, whatever its expressions evaluate to by now; the
 * others are read again.
 *
 * An entry is recorded as leaving before its request goes out. Any failure afterwards finds it
 * unknown, never still to be sent.
 */
export class Ledger {
	private readonly items: Record<string, Line[]>;
	private readonly places = new Map<Entry, { lines: Line[]; at: number; before: Line }>();

	constructor(context: IExecuteFunctions) {
		this.items = runMemory<Line[]>(context, 'ledger');
	}

	/** What became of an item's entries; null if certainly none was sent. */
	recall(itemIndex: number): Line[] | null {
		const lines = this.items[itemIndex];
		return lines?.some(({ state }) => state !== 'not sent') ? lines : null;
	}

	/** Registers an item's entries before the first of them is sent. */
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
	 * @returns the resulting state: an entry the user chose to resend, and that fails this time, is
	 * as unknown as before
	 */
	write(entry: Entry, line: Line): Line {
		const place = this.places.get(entry);
		if (!place) return line;
		const { lines, at, before } = place;
		const isStillUnknown = line.state === 'not sent' && before.state !== 'not sent';
		return (lines[at] = isStillUnknown ? before : line);
	}
}
