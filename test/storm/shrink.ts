/**
 * The shortest story that still fails, as far as the tries last: halves first, then single blows
 * (Zeller's ddmin, with a limit, since a try is a run of minutes).
 *
 * @param parts what may be left out, in order
 * @param fails whether the story of these parts alone still fails
 * @param tries how often that may be asked
 */
export async function shrink<T>(
	parts: readonly T[],
	fails: (parts: readonly T[]) => Promise<boolean>,
	tries: number,
): Promise<readonly T[]> {
	let left = parts;
	let pieces = 2;
	let asked = 0;
	while (left.length > 1) {
		const size = Math.ceil(left.length / pieces);
		let shorter: readonly T[] | null = null;
		for (let from = 0; from < left.length && shorter === null; from += size) {
			if (asked++ >= tries) return left;
			const rest = [...left.slice(0, from), ...left.slice(from + size)];
			if (await fails(rest)) shorter = rest;
		}
		if (shorter !== null) {
			left = shorter;
			pieces = Math.max(2, pieces - 1);
		} else if (size === 1) {
			return left;
		} else {
			pieces = Math.min(left.length, pieces * 2);
		}
	}
	return left;
}
