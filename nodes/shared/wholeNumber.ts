import { describeValue } from './describeValue';

export type WholeNumberReading = { number: number } | { problem: string };

/** Reads a whole number, or a text that is one. What is empty is none: it must not pass for a default. */
export function readWholeNumber(value: unknown, least: number): WholeNumberReading {
	const isGiven = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
	const number = Number(value);
	if (isGiven && Number.isSafeInteger(number) && number >= least) return { number };
	const what = value === '' || value === null ? 'empty' : describeValue(value);
	return { problem: `It is ${what}; a whole number of ${least} or more is needed.` };
}
