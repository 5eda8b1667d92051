/** A page of entries, newest first. */
export interface PageOf<T> {
	/** Number of all that match, on any page. */
	total: number;
	found: T[];
	/** `before` of the next page, or null if no older ones match. */
	next: string | null;
}

/**
 * The newest `limit` of those that match, `all` being oldest first.
 *
 * @param before only what is older than the entry with this id; nothing is, once it is gone itself
 */
export function pageOf<T extends { id: string | number }>(
	all: readonly T[],
	matches: (entry: T) => boolean,
	{ limit, before }: { limit: number; before?: string | undefined },
): PageOf<T> {
	const end = before === undefined ? all.length : all.findIndex(({ id }) => String(id) === before);
	const matching = all.filter(matches);
	const older = all.slice(0, Math.max(0, end)).filter(matches);
	const found = older.slice(Math.max(0, older.length - limit)).reverse();
	const last = found.at(-1);
	return {
		total: matching.length,
		found,
		next: last !== undefined && older.length > found.length ? String(last.id) : null,
	};
}
