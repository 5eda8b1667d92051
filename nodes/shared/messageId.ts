export type MessageId = { id: string } | { problem: string };

/**
 * Reads a message id: exactly 12 digits (rule READ-01). Spreadsheets turn such an id into a number and
 * drop its leading zeros; of a number they are restored, of a text a missing digit is an error.
 */
export function readMessageId(value: unknown): MessageId {
	const isNumber = Number.isSafeInteger(value) && Number(value) >= 0;
	const text = isNumber ? String(value).padStart(12, '0') : written(value);
	if (/^\d{12}$/.test(text)) return { id: text };
	if (text === '') return { problem: 'It is empty. A message ID has exactly 12 digits.' };
	return { problem: `"${text}" is not a message ID, which has exactly 12 digits.` };
}

// Lists and objects keep their brackets: a list of one ID is not that ID.
function written(value: unknown): string {
	if (typeof value === 'string') return value.trim();
	return value === undefined || value === null ? '' : JSON.stringify(value);
}
