import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { runMemory, runName } from '../items/runMemory';
import type { ClaimKey } from './claims';
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
	private readonly context: IExecuteFunctions;
	private readonly items: Record<string, Line[]>;
	private readonly places = new Map<Entry, Place>();
	private id: string | null = null;

	constructor(context: IExecuteFunctions) {
		this.context = context;
		this.items = runMemory<Line[]>(context, 'ledger');
	}

	/** The key that an entry is claimed under: the same in all retries of an execution. */
	keyOf(entry: Entry): ClaimKey {
		if (entry.once) return entry.once;
		const { itemIndex, at } = this.placeOf(entry);
		// Of all entries alike, and n8n takes long over an expression.
		this.id ??= `ledger ${executionName(this.context)} ${runName(this.context)}`;
		const text = `${this.id} ${itemIndex} ${at}`;
		return { text, usedFor: null, isOwn: true };
	}

	/** All that is recorded of an item, one line per entry; a single one if the item was invalid. */
	linesOf(itemIndex: number): Line[] {
		return this.items[itemIndex] ?? [];
	}

	/** What became of an item's entries; null if certainly none was sent. */
	recall(itemIndex: number): Line[] | null {
		const lines = this.linesOf(itemIndex);
		return lines.some(({ state }) => state !== 'not sent') ? lines : null;
	}

	/** Registers an item's entries before the first of them is sent. */
	enter(itemIndex: number, entries: readonly Entry[]): void {
		const lines = this.recall(itemIndex) ?? entries.map(() => NOT_SENT);
		this.items[itemIndex] = lines;
		for (const [at, entry] of entries.entries()) {
			this.places.set(entry, { itemIndex, lines, at, before: lines[at], hasLeft: false });
		}
	}

	/** Records an item that is not to be sent, unless something of it was sent before. */
	reject(itemIndex: number, line: Extract<Line, { error: ErrorText }>): void {
		this.items[itemIndex] = this.recall(itemIndex) ?? [line];
	}

	read(entry: Entry): Line {
		const { lines, at } = this.placeOf(entry);
		return lines[at];
	}

	/** Whether this try may have sent the entry. */
	hasLeft(entry: Entry): boolean {
		return this.placeOf(entry).hasLeft;
	}

	/** An entry the user chose to resend, and that fails this time, stays as unknown as before. */
	write(entry: Entry, line: Line): void {
		const place = this.placeOf(entry);
		place.hasLeft = line.state !== 'not sent';
		place.lines[place.at] =
			place.hasLeft || place.before.state === 'not sent' ? line : place.before;
	}

	private placeOf(entry: Entry): Place {
		const place = this.places.get(entry);
		if (place === undefined) throw new Error('The entry is not in the ledger.');
		return place;
	}
}

interface Place {
	itemIndex: number;
	lines: Line[];
	at: number;
	/** What earlier tries made of it. */
	before: Line;
	hasLeft: boolean;
}

/**
 * The same for an execution and all its retries, and for no other: n8n gives each execution a random
 * token when it is created, for its resume URL, stores it before the first node runs, and hands it
 * on to retries. A digest, since the token opens that URL.
 */
function executionName(context: IExecuteFunctions): string {
	const url = String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0));
	const token = URL.canParse(url) ? new URL(url).searchParams.get('signature') : null;
	const memory = runMemory<string>(context, 'ledgerId');
	// An execution stored by an n8n that gave none.
	const secret = token ?? (memory.id ??= randomUUID());
	return createHash('sha256').update(secret).digest('base64url').slice(0, 22);
}
