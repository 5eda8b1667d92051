/** The first of these lines, and how many more there are. */
export function listed(lines: string[], most: number): string[] {
	const left = lines.length - most;
	return left > 0 ? [...lines.slice(0, most), `… and ${left} more.`] : lines;
}
