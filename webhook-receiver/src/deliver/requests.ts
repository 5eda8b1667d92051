/**
 * Those of the deliveries, given in order, that can go out side by side in requests of `batchSize`:
 * what follows in a message goes with what comes before it, or waits until that is done.
 * `requestsOf` cuts them into these requests.
 *
 * @param messageOf the message whose events have to stay in order; null for an event of no message
 */
export function fitting<T>(
	deliveries: readonly T[],
	batchSize: number,
	messageOf: (delivery: T) => string | null,
): T[] {
	const chosen: T[] = [];
	/** In requests that are full, and in the one that is being filled. */
	const elsewhere = new Set<string>();
	const here = new Set<string>();
	for (const delivery of deliveries) {
		const message = messageOf(delivery);
		if (message !== null && elsewhere.has(message)) continue;
		chosen.push(delivery);
		if (message !== null) here.add(message);
		if (chosen.length % batchSize > 0) continue;
		for (const one of here) elsewhere.add(one);
		here.clear();
	}
	return chosen;
}

/** The requests that carry them, full ones first. */
export function requestsOf<T>(deliveries: readonly T[], batchSize: number): T[][] {
	const count = Math.ceil(deliveries.length / batchSize);
	return Array.from({ length: count }, (_, n) =>
		deliveries.slice(n * batchSize, (n + 1) * batchSize),
	);
}
