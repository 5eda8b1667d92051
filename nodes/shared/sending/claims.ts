import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { withoutUnseen } from '../../../webhook-receiver/src/core/unseen';
import type { LetterToSend } from '../../../webhook-receiver/src/core/letter-contract';
import { differences, type UsedFor } from '../../../webhook-receiver/src/core/used-for';

/** What an entry goes out under, once: the user's *Send Once Key*, or a key of the pack's own. */
export interface ClaimKey {
	/** What keepers know it by: a digest, since a key may name people and may contain anything. */
	id: string;
	/** As the user wrote it, for people. */
	text: string;
	/** What it is used for; null for a key that can only mean one thing. */
	usedFor: UsedFor | null;
	/** What goes out under it, if it is a letter: a receiver has its record from now on. */
	letter?: LetterToSend;
	/** Of the ledger, or of a contact to ask or to remind; no user has written it. */
	isOwn?: boolean;
}

/** A key of the user's: the same for all ways to write it, whoever keeps it. */
export function claimKey(text: string, usedFor: UsedFor | null): ClaimKey {
	return { id: idOf(keyForm(text)), text, usedFor };
}

/** A key of the pack's own: what differs in anything is another. */
export function ownKey(text: string): ClaimKey {
	return { id: idOf(text), text, usedFor: null, isOwn: true };
}

/**
 * A key as a person reads it: composed or not, wide or narrow, whatever blank or dash, nothing that does not
 * show. File names, spreadsheets and word processors rewrite all of that. Empty where nothing shows.
 */
export function keyForm(text: string): string {
	// A byte order mark counts as white space, and shows nothing.
	const seen = withoutUnseen(text.replace(/[^\S\ufeff]/g, ' '));
	return withoutUnseen(seen.normalize('NFKC'))
		.replace(/[\p{Pd}\u2212]/gu, '-')
		.replace(/ +/g, ' ')
		.trim();
}

function idOf(text: string): string {
	return createHash('sha256').update(text).digest('base64url');
}

/** What is known about a key, under which a letter goes out only once. */
export type Claim =
	/** Only this try may send under it. */
	| { state: 'ours' }
	/** Another try is sending under it right now: ask again. */
	| { state: 'busy' }
	/** What became of it in another try. */
	| Kept
	/** Free, but the receiver allows no more letters now. */
	| { state: 'limited'; reason: string }
	/** It was used for another letter, on that date if it is known (ISO 8601). */
	| { state: 'other'; usedFor: UsedFor; on: string | null };

/** What is kept under a key for good. */
export type Kept = { state: 'sent'; outputs: IDataObject[] } | { state: 'unknown'; reason: string };

/** What became of the letter under a claimed key; one that was not sent frees it. */
export type Settlement = Kept | { state: 'not sent' };

/**
 * Who may send under a key: one winner, however many claim it. A holder is one try of a node in one
 * process, known only to its memory: what was saved with an execution would belong to all its
 * retries. Nobody waits while holding a claim, so two tries with the same keys cannot block each
 * other.
 */
export interface Claims {
	/**
	 * @param keys each once
	 * @param takesUnknown also claims unknown keys, at the risk of sending twice
	 * @returns by the key's id
	 * @throws Error in plain words if it cannot tell; then nothing may be sent
	 */
	claim(keys: readonly ClaimKey[], takesUnknown: boolean): Promise<Map<string, Claim>>;
	/** Under which of these keys letters certainly went out, by id. Claims none. */
	sentBefore(keys: readonly ClaimKey[]): Promise<Set<string>>;
	/** Says what became of claimed keys, by id. Never throws: the letters are gone by then. */
	settle(settlements: ReadonlyMap<string, Settlement>): Promise<void>;
	/** Ends the try. What is still claimed is of unknown outcome. Never throws. */
	end(): Promise<void>;
}

/** What to answer where a key was used for something else; null where it may be the same. */
export function otherUse(
	wanted: UsedFor | null,
	before: UsedFor | null,
	on: string | null,
): Extract<Claim, { state: 'other' }> | null {
	if (wanted === null || before === null) return null;
	return differences(before, wanted).length === 0 ? null : { state: 'other', usedFor: before, on };
}
