import { DateTime } from 'luxon';

import { showUnseen } from '../../../webhook-receiver/src/core/unseen';
import { shortened } from './plainText';

/** Characters that are enough to recognise a value. */
const ENOUGH = 60;

/**
 * Describes an unusable value from an expression: its kind and its beginning. Accepts any JavaScript value.
 */
export function describeValue(value: unknown): string {
	if (value === undefined) return 'undefined';
	if (typeof value === 'string') return shortened(JSON.stringify(value), ENOUGH);
	if (DateTime.isDateTime(value)) return `the date ${value.toISO() ?? 'that is invalid'}`;
	if (value instanceof Date) return `the date ${value.toJSON() ?? 'that is invalid'}`;
	if (Array.isArray(value)) return `a list, ${shortened(jsonOf(value), ENOUGH)}`;
	if (typeof value === 'object' && value !== null)
		return `an object, ${shortened(jsonOf(value), ENOUGH)}`;
	return String(value);
}

/** The same, to go after "It is". */
export function shown(value: unknown): string {
	return value === '' ? 'empty' : describeValue(value);
}

/** Lists names of fields; one that looks like another, for a blank or what nobody sees, is quoted. */
export function namesInWords(names: readonly string[]): string {
	const isPlain = (name: string) => name !== '' && showUnseen(name).trim() === name;
	return names.map((name) => (isPlain(name) ? name : `"${name}"`)).join(', ') || 'none';
}

function jsonOf(value: object): string {
	try {
		return JSON.stringify(value) ?? '';
	} catch {
		// It contains itself, or something else that JSON cannot express.
		return '…';
	}
}
