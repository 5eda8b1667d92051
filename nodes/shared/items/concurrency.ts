/**
 * Works through a list in order, at most `limit` at a time; of one that is made along the way, an entry is
 * asked for when there is room for it. Once one fails no more start; those under way finish, then this throws
 * the first failure.
 */
export async function forEachBounded<T>(
	list: Iterable<T> | AsyncIterable<T>,
	limit: number,
	work: (entry: T) => Promise<void>,
): Promise<void> {
	const waiting = (async function* () {
		yield* list;
	})();
	let failure: { error: unknown } | null = null;
	const worker = async () => {
		while (failure === null) {
			try {
				const next = await waiting.next();
				if (next.done === true || failure !== null) return;
				await work(next.value);
			} catch (error) {
				failure ??= { error };
			}
		}
	};
	await Promise.all(Array.from({ length: limit }, worker));
	if (failure !== null) throw (failure as { error: unknown }).error;
}
