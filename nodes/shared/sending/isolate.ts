import type { Fate } from './fate';

/**
 * Gets as many entries as possible through an all-or-nothing request: drops the faulty ones and
 * resends the rest. If the service does not name them, it tries halves. The last request an entry
 * was in decides about it.
 *
 * With k of n entries faulty that takes at most k + 1 requests if the service names them, and about
 * k·log₂(n/k) if it does not. No entry is rejected on suspicion: each was named, or sent alone.
 *
 * @param post sends them and records their fates. Returns those the service named if it rejected all because
 * of some, and null otherwise: they were sent, or it is no use to try again.
 */
export async function isolate<E extends { readonly fate: Fate }>(
	entries: E[],
	post: (entries: E[]) => Promise<E[] | null>,
): Promise<void> {
	async function tryAll(group: E[]): Promise<void> {
		const named = await post(group);
		if (named === null || group.length === 1) return;
		const rest = group.filter((entry) => !named.includes(entry));
		if (rest.length === group.length) await tryHalves(group);
		else if (rest.length > 0) await tryAll(rest);
	}

	/** @param group at least two entries, rejected together */
	async function tryHalves(group: E[]): Promise<void> {
		const middle = Math.ceil(group.length / 2);
		const [first, second] = [group.slice(0, middle), group.slice(middle)];
		await tryAll(first);
		// If the first half is fine, the fault is in the second: no need to ask.
		const isFirstSent = first.every(({ fate }) => fate.state === 'sent');
		if (isFirstSent && second.length > 1) await tryHalves(second);
		else await tryAll(second);
	}

	await tryAll(entries);
}
