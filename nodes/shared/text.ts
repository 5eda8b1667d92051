import { describeValue } from './describeValue';

export type TextReading = { text: string } | { problem: string };

/**
 * Reads a text field, ends trimmed; nothing at all is an empty text. An object would go out as
 * "[object Object]", and a date in whatever form the machine gives it, so only a text or a number will
 * do.
 */
export function readText(value: unknown): TextReading {
	if (value === undefined || value === null) return { text: '' };
	if (typeof value === 'string') return { text: value.trim() };
	if (typeof value === 'number' && Number.isFinite(value)) return { text: String(value) };
	return { problem: `It is ${describeValue(value)}; a text is needed.` };
}
