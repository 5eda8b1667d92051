import { closest, distance } from 'fastest-levenshtein';

/** Shorter names resemble those of other programs. */
const SHORTEST = 8;
const MOST_TYPOS = 2;

/**
 * A fault for each unknown variable that resembles one of ours: a mistyped `INGEST_REQUIRE` would
 * silently let requests in.
 */
export function unknownNames(names: readonly string[], known: readonly string[]): string[] {
	return names
		.filter((name) => !known.includes(name))
		.flatMap((name) => {
			const upper = name.toUpperCase();
			const nearest = closest(upper, known);
			if (upper === `${nearest}_FILE`) return [`${name}: set ${nearest}; it is no secret`];
			const isTypo = upper.length >= SHORTEST && distance(upper, nearest) <= MOST_TYPOS;
			const isOurs = isTypo || upper.startsWith('INGEST_');
			return isOurs ? [`${name}: is unknown; did you mean ${nearest}?`] : [];
		});
}
