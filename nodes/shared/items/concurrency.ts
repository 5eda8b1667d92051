/**
 * Works through a list in order, at most `limit` at a time. Once one fails no more start; those under way
 * finish, then this throws the first failure.
 */
export async function forEachBounded<T>(
	list: readonly T[],
	limit: number,
	work: (entry: T) => Promise<void>,
): Promise<void> {
	const waiting = list.values();
	let failure: { error: unknown } | null = null;
	const worker = async () => {
		for (const entry of waiting) {
			if (failure !== null) return;
			try {
				await work(entry);
			} catch (error) {
				failure ??= { error };
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, list.length) }, worker));
	if (failure !== null) throw (failure as { error: unknown }).error;
}
