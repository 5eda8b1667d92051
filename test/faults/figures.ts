// What each fault test measured, printed as one table when all are done.
const figures: Array<{ fault: string; figure: string }> = [];

export function record(fault: string, figure: string): void {
	figures.push({ fault, figure });
}

export function table(): string {
	const width = Math.max(...figures.map(({ fault }) => fault.length));
	const lines = figures.map(({ fault, figure }) => `  ${fault.padEnd(width)}  ${figure}`);
	return `\nFaults survived\n${lines.join('\n')}\n`;
}

/** The value that all but one in a hundred stay below. */
export function p99(values: readonly number[]): number {
	const sorted = [...values].sort((left, right) => left - right);
	return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? NaN;
}

const LEAST_ROUNDS = 3;
const MOST_ROUNDS = 12;

/**
 * How much slower something is in the presence of a fault. A p99 of a few milliseconds is at the
 * mercy of the machine, so both sides are measured in turns, and the quietest of each counts.
 */
export async function quietestRatio(
	limit: number,
	without: () => Promise<number>,
	withFault: () => Promise<number>,
): Promise<number> {
	let [plain, faulty] = [Infinity, Infinity];
	for (let round = 1; round <= MOST_ROUNDS; round++) {
		plain = Math.min(plain, await without());
		faulty = Math.min(faulty, await withFault());
		if (round >= LEAST_ROUNDS && faulty / plain <= limit) break;
	}
	return faulty / plain;
}
