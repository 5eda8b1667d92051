/** An item as its user counts it; n8n counts from 0. */
export function rowName(itemIndex: number): string {
	return `row ${itemIndex + 1}`;
}

/**
 * What became of the rows of a run that a failure ended; empty if there is only one.
 *
 * @param itemIndex the item that ended it, if it was one
 */
export function tally(rows: number, done: number, unknown = 0, itemIndex?: number): string {
	if (rows < 2) return '';
	const of = itemIndex === undefined ? 'Of' : `${capital(rowName(itemIndex))} ended the run: of`;
	const carriedOut = done === 0 ? 'none was' : done === 1 ? '1 was' : `${done} were`;
	const maybe = unknown > 0 ? `, ${unknown} may have been` : '';
	return `${of} ${rows} rows, ${carriedOut} carried out${maybe}.`;
}

export function capital(text: string): string {
	return `${text[0].toUpperCase()}${text.slice(1)}`;
}

/** The first of these lines, and how many more there are. */
export function listed(lines: string[], most: number): string[] {
	const left = lines.length - most;
	return left > 0 ? [...lines.slice(0, most), `… and ${left} more.`] : lines;
}
