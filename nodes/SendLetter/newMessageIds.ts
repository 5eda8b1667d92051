import { readMessageId } from '../shared/messageId';

/**
 * The ids in the answer to a resend (rules RSND-01, RSND-04). One id or a list of them, each a text, a
 * number that lost its leading zeros, or an object with an `id`. What is no id is left out: the letters
 * have been sent by then, so an answer in an unknown form is no error.
 */
export function readNewIds(answer: unknown): string[] {
	const entries = Array.isArray(answer) ? answer : [answer];
	return entries.flatMap((entry) => {
		const result = readMessageId(isRecord(entry) ? entry.id : unquoted(entry));
		return 'id' in result ? [result.id] : [];
	});
}

function unquoted(entry: unknown): unknown {
	return typeof entry === 'string' ? entry.trim().replace(/^"(.*)"$/, '$1') : entry;
}

function isRecord(value: unknown): value is { id?: unknown } {
	return typeof value === 'object' && value !== null;
}
