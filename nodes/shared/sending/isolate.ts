/**
 * The result of an all-or-nothing request:
 * - `done`: it was carried out.
 * - `faulty`: certainly nothing was done, because of some of the entries: those the service named, if any.
 * - `failed`: it failed for another reason, or may have been carried out: don't retry.
 */
export type PostResult<Entry> = 'done' | 'failed' | { faulty: Entry[] };

/**
 * Gets as many entries as possible through an all-or-nothing request: drops the faulty ones and
 * resends the rest. If the service does not name them, it tries halves. The last request an entry
 * was in decides about it.
 *
 * With k of n entries faulty that takes at most k + 1 requests if the service names them, and about
 * k·log₂(n/k) if it does not. No entry is rejected on suspicion: each was named, or sent alone.
 */
export async function isolate<Entry>(
	entries: Entry[],
	post: (entries: Entry[]) => Promise<PostResult<Entry>>,
): Promise<void> {
	/** @returns whether all of them got through */
	async function tryAll(batch: Entry[]): Promise<boolean> {
		const outcome = await post(batch);
		const isRejected = outcome !== 'done' && outcome !== 'failed';
		if (isRejected && batch.length > 1) await withoutFaulty(batch, outcome.faulty);
		return outcome === 'done';
	}

	async function withoutFaulty(batch: Entry[], named: Entry[]): Promise<void> {
		const rest = batch.filter((entry) => !named.includes(entry));
		if (rest.length === batch.length) await tryHalves(batch);
		else if (rest.length > 0) await tryAll(rest);
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

	await tryAll(entries);
}
