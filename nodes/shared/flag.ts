const TRUE = ['true', '1', 'yes'];
const FALSE = ['false', '0', 'no', ''];

/** Reads a yes or no; spreadsheets give them as text, such as TRUE. Null when it is neither. */
export function readFlag(value: unknown): boolean | null {
	if (typeof value === 'boolean') return value;
	const text = String(value ?? '')
		.trim()
		.toLowerCase();
	if (TRUE.includes(text)) return true;
	return FALSE.includes(text) ? false : null;
}
