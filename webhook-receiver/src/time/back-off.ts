/** How long to wait after consecutive failures: `first` after one, then doubling. */
export function backOff(failures: number, { first, longest }: { first: number; longest: number }) {
	return Math.min(first * 2 ** Math.min(failures - 1, 30), longest);
}
