/** What an all-or-nothing request came to. */
export type Answered<Done, Refusal> =
	| { done: Done }
	/**
	 * Surely nothing was carried out, because of some of the entries.
	 *
	 * @param faulty positions of those that were named, from 0; none when the service named none
	 */
	| { refused: Refusal; faulty: number[] }
	/** It failed for another reason, or may have been carried out: no use, or no right, to go on with it. */
	| { failed: Refusal };

/** Entries with what they have in common: the answer they got, or why they got none. */
export type Part<Entry, Done, Refusal> =
	| { entries: Entry[]; done: Done }
	| {
			entries: Entry[];
			refused: Refusal;
			/** Where each of the entries stood in the request that was refused. */
			positions: number[];
	  }
	| { entries: Entry[]; failed: Refusal };

/**
 * Gets as many entries as possible through an all-or-nothing request: the ones at fault are left out
 * and the rest goes again. Where the service does not say which they are, halves are tried. Every entry
 * ends in exactly one part.
 *
 * With k of n entries at fault it takes k + 1 requests at most where they are named, and about
 * k·log₂(n/k) where they are not. No entry is refused on suspicion: each has been named, or has been
 * sent alone.
 */
export async function isolate<Entry, Done, Refusal>(
	entries: Entry[],
	post: (entries: Entry[]) => Promise<Answered<Done, Refusal>>,
): Promise<Array<Part<Entry, Done, Refusal>>> {
	const parts: Array<Part<Entry, Done, Refusal>> = [];

	/** @returns whether all of them got through */
	async function tryAll(batch: Entry[]): Promise<boolean> {
		const result = await post(batch);
		if ('done' in result) parts.push({ entries: batch, done: result.done });
		else if ('failed' in result) parts.push({ entries: batch, failed: result.failed });
		else await goOn(batch, result.refused, result.faulty);
		return 'done' in result;
	}

	async function goOn(batch: Entry[], refused: Refusal, faulty: number[]): Promise<void> {
		const named = batch.map((_, position) => position).filter((at) => faulty.includes(at));
		const positions = batch.length === 1 ? [0] : named;
		if (positions.length === 0) return await tryHalves(batch);
		parts.push({ entries: positions.map((at) => batch[at]), refused, positions });
		const rest = batch.filter((_, at) => !positions.includes(at));
		if (rest.length > 0) await tryAll(rest);
	}

	/** @param batch two entries at least, refused together */
	async function tryHalves(batch: Entry[]): Promise<void> {
		const middle = Math.ceil(batch.length / 2);
		const isFirstGood = await tryAll(batch.slice(0, middle));
		const second = batch.slice(middle);
		// When nothing is wrong with the first half, something is with the second: no need to ask.
		if (isFirstGood && second.length > 1) await tryHalves(second);
		else await tryAll(second);
	}

	if (entries.length > 0) await tryAll(entries);
	return parts;
}
