import { field, type Reading } from './field';

/** The letter that an operation is about. */
export const messageIdField = field(
	{
		displayName: 'Message ID',
		name: 'messageId',
		type: 'string',
		default: '={{ $json.messageId }}',
		required: true,
		placeholder: 'e.g. 000000000123',
		description: 'The 12-digit ID that Send Letter returned for the letter',
	},
	readMessageId,
);

/** The letters that an operation is about. */
export const messageIdsField = field(
	{
		displayName: 'Message IDs',
		name: 'messageIds',
		type: 'string',
		// A letter sent to several recipients has a list of messages.
		default: '={{ $json.messageId ?? $json.messages?.map(({ id }) => id) }}',
		required: true,
		placeholder: 'e.g. 000000000123, 000000000124',
		description:
			'12-digit IDs that Send Letter returned, separated by commas, or an array of them. The service processes them all or none.',
	},
	readMessageIds,
);

/**
 * Reads a message ID: exactly 12 digits (rule READ-01). Spreadsheets turn such an ID into a number and
 * drop its leading zeros. A number gets them back; a text that lacks a digit is an error.
 */
export function readMessageId(value: unknown): Reading<string> {
	const isNumber = Number.isSafeInteger(value) && Number(value) >= 0;
	const text = isNumber ? String(value).padStart(12, '0') : asText(value);
	if (/^\d{12}$/.test(text)) return { value: text };
	if (text === '') return { problem: 'It is empty. A message ID has exactly 12 digits.' };
	return { problem: `"${text}" is not a message ID, which has exactly 12 digits.` };
}

/**
 * Reads several message IDs: an array, a JSON text of one, or a list separated by commas, semicolons or
 * spaces (rule READ-01). The service rejects a list that names one twice.
 */
export function readMessageIds(value: unknown): Reading<string[]> {
	const entries = entriesOf(value);
	if (entries.length === 0) return { problem: 'It is empty. Give at least one message ID.' };
	const ids = new Set<string>();
	for (const entry of entries) {
		const reading = readMessageId(entry);
		if ('problem' in reading) return reading;
		const id = reading.value;
		if (ids.has(id)) return { problem: `The message ID ${id} appears twice.` };
		ids.add(id);
	}
	return { value: [...ids] };
}

/** Whether a value names no message at all, right or wrong. */
export function namesNoMessage(value: unknown): boolean {
	return entriesOf(value).length === 0;
}

// Lists and objects keep their brackets: a list of one ID is not that ID.
function asText(value: unknown): string {
	if (typeof value === 'string') return value.trim();
	return value === undefined || value === null ? '' : JSON.stringify(value);
}

function entriesOf(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (value === undefined || value === null) return [];
	if (typeof value !== 'string') return [value];
	// In JSON, digits are read as text, quoted or not, so that no leading zero gets lost.
	const isJson = value.trim().startsWith('[');
	return value.match(isJson ? /[^[\]"',\s]+/g : /[^\s,;]+/g) ?? [];
}
