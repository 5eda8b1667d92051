const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/**
 * Milliseconds to wait after so many failures in a row.
 *
 * @param random from 0 to 1; spreads many consumers that lost their receiver at the same moment
 */
export function pauseAfter(failures: number, random: number): number {
	const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.max(0, failures - 1));
	return pause * (1 - random / 2);
}
