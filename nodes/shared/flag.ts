import { describeValue } from './describeValue';

export type FlagReading = { flag: boolean } | { problem: string };

const TRUE = ['true', '1', 'yes'];
const FALSE = ['false', '0', 'no'];

/** Reads a yes or no; spreadsheets give them as text, such as TRUE, and leave a no empty. Null when it is neither. */
export function readFlag(value: unknown): boolean | null {
	const text = String(value ?? '').trim();
	if (text === '') return false;
	const reading = checkFlag(value);
	return 'flag' in reading ? reading.flag : null;
}

/**
 * Reads a yes or no that must be there: true or false, or a text or number that says so. The text
 * "false" is a no, though JavaScript takes it for a yes.
 */
export function checkFlag(value: unknown): FlagReading {
	if (typeof value === 'boolean') return { flag: value };
	if (typeof value === 'string' || typeof value === 'number') {
		const text = String(value).trim().toLowerCase();
		if (TRUE.includes(text)) return { flag: true };
		if (FALSE.includes(text)) return { flag: false };
		if (text === '') return { problem: 'It is empty; true or false is needed.' };
	}
	return { problem: `It is ${describeValue(value)}; true or false is needed.` };
}
