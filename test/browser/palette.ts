/** Few colours that stand for many. */
export interface Palette {
	/** 0xRRGGBB each. */
	colours: number[];
	/** Which of them stands for a colour of the picture. */
	indexOf: Map<number, number>;
}

interface Counted {
	colour: number;
	count: number;
}

/** Colours that one of them will stand for. */
interface Box {
	members: Counted[];
	/** The channel, as a shift of 16, 8 or 0, in which they differ most. */
	shift: number;
	mean: number;
	/** How much they differ there: the sum of squares, counted by pixels. */
	spread: number;
}

/**
 * Chooses the colours: the box whose pixels differ most is split at their mean until there are enough boxes.
 * The most frequent colour of a box stands for all of it, so that flat areas keep theirs exactly.
 */
export function choosePalette(pixels: Uint32Array, size: number): Palette {
	const boxes = [boxOf(countColours(pixels))];
	while (boxes.length < size) {
		const widest = boxes.reduce((one, other) => (other.spread > one.spread ? other : one));
		if (widest.spread === 0) break;
		const isBelow = ({ colour }: Counted) => ((colour >> widest.shift) & 255) <= widest.mean;
		const below = widest.members.filter(isBelow);
		const above = widest.members.filter((one) => !isBelow(one));
		boxes.splice(boxes.indexOf(widest), 1, boxOf(below), boxOf(above));
	}
	const colours = boxes.map(({ members }) =>
		members.reduce((one, other) => (other.count > one.count ? other : one)),
	);
	return {
		colours: colours.map(({ colour }) => colour),
		indexOf: new Map(
			boxes.flatMap(({ members }, index) => members.map(({ colour }) => [colour, index] as const)),
		),
	};
}

function countColours(pixels: Uint32Array): Counted[] {
	const counts = new Map<number, number>();
	for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
	return [...counts].map(([colour, count]) => ({ colour, count }));
}

function boxOf(members: Counted[]): Box {
	const total = members.reduce((sum, { count }) => sum + count, 0);
	return [16, 8, 0]
		.map((shift) => {
			const value = ({ colour }: Counted) => (colour >> shift) & 255;
			const mean = members.reduce((sum, one) => sum + value(one) * one.count, 0) / total;
			const spread = members.reduce((sum, one) => sum + (value(one) - mean) ** 2 * one.count, 0);
			return { members, shift, mean, spread };
		})
		.reduce((one, other) => (other.spread > one.spread ? other : one));
}
