/** An item as its user counts it. n8n counts from 0, and adds that in its own panel for errors. */
export function rowName(itemIndex: number): string {
	return `row ${itemIndex + 1}`;
}

export function rowNames(itemIndexes: number[]): string {
	if (itemIndexes.length === 1) return rowName(itemIndexes[0]);
	return `rows ${itemIndexes.map((index) => index + 1).join(', ')}`;
}

/** What became of the rows of a run that a failure ended; empty if there is no other than the one at fault. */
export function tally(rows: number, done: number, unknown = 0): string {
	if (rows < 2) return '';
	const maybe = unknown > 0 ? `, ${unknown} may have been` : '';
	return `Of ${rows} rows, ${done} ${done === 1 ? 'was' : 'were'} carried out${maybe}, ${rows - done - unknown} not.`;
}
