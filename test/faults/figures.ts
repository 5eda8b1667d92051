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
