/** What came of two contenders that were measured in turns. */
export interface Comparison {
	ours: number;
	theirs: number;
	/** Median of the ratios of each round, higher is better for ours. */
	ratio: number;
}

/** Which way a figure is good: `more` for events/s, `less` for seconds and bytes. */
export type Better = 'more' | 'less';

/**
 * Measures ours, theirs, ours, theirs, … Two figures of one round meet the same machine, with the
 * same neighbours, so their ratio holds where the figures themselves wander; the median leaves out
 * the round in which something else ran.
 */
export async function rounds(
	count: number,
	ours: () => Promise<number>,
	theirs: () => Promise<number>,
	better: Better = 'more',
): Promise<Comparison> {
	const all: Comparison[] = [];
	for (let round = 0; round < count; round++) {
		const figures = { ours: await ours(), theirs: await theirs() };
		all.push({ ...figures, ratio: ratioOf(figures.ours, figures.theirs, better) });
	}
	return {
		ours: median(all.map((one) => one.ours)),
		theirs: median(all.map((one) => one.theirs)),
		ratio: median(all.map((one) => one.ratio)),
	};
}

/** The same for a figure that stands alone. */
export async function repeated(count: number, measure: () => Promise<number>): Promise<number> {
	const all: number[] = [];
	for (let round = 0; round < count; round++) all.push(await measure());
	return median(all);
}

export function median(values: readonly number[]): number {
	return quantile(values, 0.5);
}

/** The value that the given share of all does not exceed; between two values for their mean. */
export function quantile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((left, right) => left - right);
	const place = (sorted.length - 1) * share;
	const [low, high] = [Math.floor(place), Math.ceil(place)];
	const [below = NaN, above = NaN] = [sorted[low], sorted[high]];
	return below + (above - below) * (place - low);
}

function ratioOf(ours: number, theirs: number, better: Better): number {
	return better === 'more' ? ours / theirs : theirs / ours;
}
