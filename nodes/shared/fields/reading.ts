import { describeValue } from './describeValue';

/** The result of reading a value from a user or an expression; `problem` is a sentence for the user. */
export type Reading<T> = { value: T } | { problem: string };

export type Reader<T> = (value: unknown) => Reading<T>;

/**
 * Reads a text and trims it; no value is an empty text. Only texts and numbers are valid: an object would be
 * sent as "[object Object]", and a date in the machine's format.
 */
export function readText(value: unknown): Reading<string> {
	if (value === undefined || value === null) return { value: '' };
	if (typeof value === 'string') return { value: value.trim() };
	if (typeof value === 'number' && Number.isFinite(value)) return { value: String(value) };
	return { problem: `It is ${shown(value)}; text is required.` };
}

const TRUE = ['true', '1', 'yes'];
const FALSE = ['false', '0', 'no'];

/**
 * Reads true or false, or a text or number that means it: spreadsheets give TRUE as text, and JavaScript
 * takes the text "false" for true.
 */
export function readFlag(value: unknown): Reading<boolean> {
	if (typeof value === 'boolean') return { value };
	const text = ['string', 'number'].includes(typeof value) ? String(value) : '';
	const word = text.trim().toLowerCase();
	if (TRUE.includes(word)) return { value: true };
	if (FALSE.includes(word)) return { value: false };
	return { problem: `It is ${shown(value)}; true or false is required.` };
}

/** Reads a whole number, or a text that is one. An empty value must not pass for a default. */
export function wholeNumber(least: number): Reader<number> {
	return (value) => {
		const isGiven = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
		const number = Number(value);
		if (isGiven && Number.isSafeInteger(number) && number >= least) return { value: number };
		return { problem: `It is ${shown(value)}; a whole number of ${least} or more is required.` };
	};
}

/** Reads a number above 0, or a text that is one; fractions are valid. */
export function aboveZero(value: unknown): Reading<number> {
	// Number would accept true as 1, and a one-entry list as its entry.
	const isGiven = typeof value === 'number' || typeof value === 'string';
	const number = isGiven ? Number(value) : NaN;
	if (number > 0 && Number.isFinite(number)) return { value: number };
	return { problem: `It is ${shown(value)}; a number above 0 is required.` };
}

export function readList(value: unknown): Reading<string[]> {
	const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
	if (isList) return { value };
	return { problem: `It is ${describeValue(value)}; a list of texts is required.` };
}

export function oneOf<Choice extends string>(choices: readonly Choice[]): Reader<Choice> {
	return (value) => {
		const chosen = choices.find((choice) => choice === value);
		if (chosen !== undefined) return { value: chosen };
		return { problem: `It is ${describeValue(value)}. Choose one of ${choices.join(', ')}.` };
	};
}

function shown(value: unknown): string {
	return value === '' ? 'empty' : describeValue(value);
}
