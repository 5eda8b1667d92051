import { readMessageId } from './messageId';

export type MessageIds = { ids: string[] } | { problem: string };

/**
 * Reads several message ids: an array, a JSON text of one, or a list separated by commas, semicolons
 * or spaces (rule READ-01). The service takes none of them twice.
 */
export function readMessageIds(value: unknown): MessageIds {
	const entries = listed(value);
	if (entries.length === 0) return { problem: 'It is empty. Give at least one message ID.' };
	const ids: string[] = [];
	for (const entry of entries) {
		const result = readMessageId(entry);
		if ('problem' in result) return result;
		if (ids.includes(result.id)) return { problem: `The message ID ${result.id} is named twice.` };
		ids.push(result.id);
	}
	return { ids };
}

function listed(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return value === undefined || value === null ? [] : [value];
	const text = value.trim();
	if (text.startsWith('[')) {
		// Digits in quotes or not: they stay text, so that no leading zero is lost.
		return text.match(/[^[\]"',\s]+/g) ?? [];
	}
	return text.split(/[\s,;]/).filter((entry) => entry !== '');
}
