/** Digits that every decimal number keeps on its way through a spreadsheet's number, or JavaScript's. */
const EXACT_DIGITS = 15;

/**
 * A number as the text that stands for it alone; null if there is none: from 2^53 on two numbers become
 * one, and one key would stand for two letters.
 */
export function exactText(number: number): string | null {
	const text = String(number);
	const digits = text.replace(/^-?0*\.?0*|\./g, '').length;
	const isDecimal = /^-?\d+\.\d+$/.test(text) && digits <= EXACT_DIGITS;
	return Number.isSafeInteger(number) || isDecimal ? text : null;
}
