/** The result of an all-or-nothing request. */
export type Outcome<Entry, Reason> =
	| { isDone: true }
	/**
	 * Certainly nothing was done, because of some of the entries; `faulty` holds those the service
	 * named, if any.
	 */
	| { rejected: Reason; faulty: Entry[] }
	/** It failed for another reason, or may have been carried out: don't retry. */
	| { failed: Reason };

/** Entries that share a result: they got through, or the reason they did not. */
export type Part<Entry, Reason> = { entries: Entry[] } & (
	| { isDone: true }
	| { rejected: Reason }
	| { failed: Reason }
);

/**
 * Gets as many entries as possible through an all-or-nothing request: drops the faulty ones and
 * resends the rest. If the service does not name them, it tries halves. Every entry ends up in
 * exactly one part.
 *
 * With k of n entries faulty that takes at most k + 1 requests if the service names them, and about
 * k·log₂(n/k) if it does not. No entry is rejected on suspicion: each was named, or sent alone.
 */
export async function isolate<Entry, Reason>(
	entries: Entry[],
	post: (entries: Entry[]) => Promise<Outcome<Entry, Reason>>,
): Promise<Array<Part<Entry, Reason>>> {
	const parts: Array<Part<Entry, Reason>> = [];

	/** @returns whether all of them got through */
	async function tryAll(batch: Entry[]): Promise<boolean> {
		const outcome = await post(batch);
		if ('rejected' in outcome) await withoutFaulty(batch, outcome.rejected, outcome.faulty);
		else parts.push({ entries: batch, ...outcome });
		return 'isDone' in outcome;
	}

	async function withoutFaulty(batch: Entry[], rejected: Reason, named: Entry[]): Promise<void> {
		const faulty = batch.length === 1 ? batch : batch.filter((entry) => named.includes(entry));
		if (faulty.length === 0) return await tryHalves(batch);
		parts.push({ entries: faulty, rejected });
		const rest = batch.filter((entry) => !faulty.includes(entry));
		if (rest.length > 0) await tryAll(rest);
	}

	/** @param batch at least two entries, rejected together */
	async function tryHalves(batch: Entry[]): Promise<void> {
		const middle = Math.ceil(batch.length / 2);
		const isFirstGood = await tryAll(batch.slice(0, middle));
		const second = batch.slice(middle);
		// If the first half is fine, the fault is in the second: no need to ask.
		if (isFirstGood && second.length > 1) await tryHalves(second);
		else await tryAll(second);
	}

	if (entries.length > 0) await tryAll(entries);
	return parts;
}
