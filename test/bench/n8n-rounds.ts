import { median, type Better, type Comparison } from './rounds.ts';

/** Both sides of one round. */
export interface Pair<T> {
	ours: T;
	theirs: T;
}

export interface RoundPlan {
	rounds: number;
	/** One round more beforehand that does not count: code is loaded and compiled. */
	warmUp: boolean;
	report(line: string): void;
}

/** Runs both sides in turn where a round gives several figures; the side that begins changes. */
export async function alternate<T>(
	{ rounds, warmUp, report }: RoundPlan,
	ours: () => Promise<T>,
	theirs: () => Promise<T>,
): Promise<Array<Pair<T>>> {
	const pairs: Array<Pair<T>> = [];
	for (let round = warmUp ? 0 : 1; round <= rounds; round++) {
		const pair = round % 2 === 0 ? await theirsFirst(ours, theirs) : await oursFirst(ours, theirs);
		report(`${round === 0 ? 'warm-up' : `round ${round}`}: ${JSON.stringify(pair)}`);
		if (round > 0) pairs.push(pair);
	}
	return pairs;
}

type Side<T> = () => Promise<T>;

async function oursFirst<T>(ours: Side<T>, theirs: Side<T>): Promise<Pair<T>> {
	return { ours: await ours(), theirs: await theirs() };
}

async function theirsFirst<T>(ours: Side<T>, theirs: Side<T>): Promise<Pair<T>> {
	const other = await theirs();
	return { ours: await ours(), theirs: other };
}

/** Medians of one figure of the rounds, and the median of its ratios. */
export function compare<T>(
	pairs: Array<Pair<T>>,
	figure: (side: T) => number,
	better: Better,
): Comparison {
	const sides = pairs.map(({ ours, theirs }) => ({ ours: figure(ours), theirs: figure(theirs) }));
	return {
		ours: median(sides.map(({ ours }) => ours)),
		theirs: median(sides.map(({ theirs }) => theirs)),
		ratio: median(
			sides.map(({ ours, theirs }) => (better === 'more' ? ours / theirs : theirs / ours)),
		),
	};
}
