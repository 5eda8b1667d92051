/** A page of entries, newest first. */
export interface PageOf<T> {
	/** Number of all that match, on any page. */
	total: number;
	found: T[];
	/** Whether older ones match too. */
	hasOlder: boolean;
}

/** The newest `limit` of those that match, `all` being oldest first, of those before a position. */
export function pageOf<T>(
	all: readonly T[],
	matches: (entry: T) => boolean,
	{ limit, before = all.length }: { limit: number; before?: number },
): PageOf<T> {
	const matching: number[] = [];
	all.forEach((entry, index) => {
		if (matches(entry)) matching.push(index);
	});
	const older = matching.filter((index) => index < before);
	const found = older.slice(Math.max(0, older.length - limit)).reverse();
	return {
		total: matching.length,
		found: found.map((index) => all[index] as T),
		hasOlder: older.length > found.length,
	};
}
