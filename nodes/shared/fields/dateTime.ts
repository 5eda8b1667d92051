import { DateTime } from 'luxon';

import { describeValue } from './describeValue';
import type { Reading } from './field';

interface Moment {
	time: DateTime;
	/** An expression computed it: it has a fraction of a second, or is not text. People don't type that. */
	isComputed: boolean;
}

// A full date and time of day; seconds, fraction and offset are optional. Luxon alone would also accept
// "2027", "23:59", week dates and days of the year, and fill in the rest.
const FORM =
	/^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}([.,]\d{1,9})?)?) ?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Reads a date and time that a field or an expression can hold: a text, a luxon DateTime or a Date. Null if
 * it is none of these, or names a day or hour that does not exist.
 *
 * @param zone applies to a text without an offset, which is what n8n's date picker gives
 */
export function readDateTime(value: unknown, zone: string): Moment | null {
	if (DateTime.isDateTime(value)) return value.isValid ? { time: value, isComputed: true } : null;
	if (value instanceof Date) return ifValid(DateTime.fromJSDate(value, { zone }), true);
	const form = typeof value === 'string' ? FORM.exec(value.trim()) : null;
	if (!form) return null;
	const [, date, clock, fraction, offset = ''] = form;
	const text = `${date}T${clock}${offset}`;
	return ifValid(DateTime.fromISO(text, { zone, setZone: true }), fraction !== undefined);
}

function ifValid(time: DateTime, isComputed: boolean): Moment | null {
	return time.isValid ? { time, isComputed } : null;
}

/** Of a field that takes any date and time, past ones too; in the zone unless it has an offset. */
export function readMoment(value: unknown, zone: string): Reading<DateTime> {
	const read = readDateTime(value, zone);
	if (read !== null) return { value: read.time };
	return { problem: `${describeValue(value)} is not a date and time such as 2026-01-31T09:30.` };
}
