import type { Problem } from './problems';

/** An entry of the list that was sent: the input item it came from, and how to recognise it. */
export interface SentEntry {
	itemIndex: number;
	/** Null where entries are not recipients or customers. */
	email: string | null;
	/** Position among the item's own entries, from 0, when it can have several. */
	ownPosition?: number;
}

/** A problem, and the place of its culprit in the list that was sent, from 0; null where none is sure. */
export interface Placed {
	problem: Problem;
	position: number | null;
}

/**
 * Finds whom each problem of an answer concerns. The blame is right, or absent: an address decides when
 * it was sent once; else a place counts only if it is sure what the service counts from.
 *
 * @param sent the entries in the order they went out, which is what the service's places count
 */
export function placed(problems: readonly Problem[], sent: readonly SentEntry[]): Placed[] {
	const byAddress = new Map<string, number[]>();
	for (const [position, { email }] of sent.entries()) {
		if (email === null) continue;
		byAddress.set(email.toLowerCase(), [...(byAddress.get(email.toLowerCase()) ?? []), position]);
	}
	const owners = (problem: Problem) => byAddress.get(problem.email?.toLowerCase() ?? '') ?? [];
	const base = baseOf(problems, sent.length, owners);
	return problems.map((problem) => {
		const found = owners(problem);
		if (found.length === 1) return { problem, position: found[0] };
		const { index } = problem;
		const place = problem.position ?? (index === null || base === null ? null : index - base);
		if (place === null || sent[place] === undefined) return { problem, position: null };
		// An address that was sent several times, or never, must not be said of somebody else.
		const isOwn = problem.email === null || sent[place].email === null || found.includes(place);
		return { problem, position: isOwn ? place : null };
	});
}

/**
 * What the service counts its entries from: 0 or 1, whatever fits all that it said, or null when both do
 * or neither. An index of 0 rules out counting from 1, one as high as there are entries rules out 0, and
 * an address beside an index tells it outright.
 */
function baseOf(
	problems: readonly Problem[],
	count: number,
	owners: (problem: Problem) => number[],
): 0 | 1 | null {
	const numbered = problems.flatMap((problem) =>
		problem.index === null ? [] : [{ index: problem.index, found: owners(problem) }],
	);
	const fitting = ([0, 1] as const).filter((base) =>
		numbered.every(({ index, found }) => {
			const place = index - base;
			if (place < 0 || place >= count) return false;
			return found.length === 0 || found.includes(place);
		}),
	);
	return fitting.length === 1 ? fitting[0] : null;
}
