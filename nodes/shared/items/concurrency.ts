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
	let failure: { error: unknown } | null = null;
	let underWay = 0;
	let onEnd = () => {};
	const start = async (entry: T) => {
		underWay++;
		try {
			await work(entry);
		} catch (error) {
			failure ??= { error };
		} finally {
			underWay--;
			onEnd();
		}
	};
	const untilUnder = async (most: number) => {
		while (underWay >= most) await new Promise<void>((resolve) => (onEnd = resolve));
	};
	try {
		for await (const entry of list) {
			if (failure !== null) break;
			void start(entry);
			await untilUnder(limit);
			if (failure !== null) break;
		}
	} catch (error) {
		failure ??= { error };
	}
	await untilUnder(1);
	if (failure !== null) throw (failure as { error: unknown }).error;
}
