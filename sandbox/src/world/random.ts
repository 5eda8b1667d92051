/** The number from 0 to 1 at this place of a seed's sequence (mulberry32). */
export function randomAt(seed: number, index: number): number {
	const state = (seed + Math.imul(index + 1, 0x6d2b79f5)) >>> 0;
	let mixed = Math.imul(state ^ (state >>> 15), state | 1);
	mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
	return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
