import { DateTime } from 'luxon';

/** A moment, and whether a person wrote it down or an expression worked it out. */
export interface Moment {
	time: DateTime;
	/** It has a fraction of a second, or is no text: nobody types that. */
	isComputed: boolean;
}

// A full date and time of day; seconds, fraction and offset may be missing. Luxon alone would take
// "2027", "23:59", week dates and days of the year as well, and fill in the rest.
const FORM =
	/^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}([.,]\d{1,9})?)?) ?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Reads a date and time: a text, a luxon DateTime or a Date, which is what fields and expressions can
 * hold. Null when it is none, or names a day or an hour that does not exist.
 *
 * @param zone meant by a text without offset, as n8n's date picker gives it
 */
export function readDateTime(value: unknown, zone: string): Moment | null {
	if (DateTime.isDateTime(value)) return value.isValid ? { time: value, isComputed: true } : null;
	if (value instanceof Date) return checked(DateTime.fromJSDate(value, { zone }), true);
	const form = typeof value === 'string' ? FORM.exec(value.trim()) : null;
	if (!form) return null;
	const [, date, clock, fraction, offset = ''] = form;
	const text = `${date}T${clock}${offset.toUpperCase()}`;
	return checked(DateTime.fromISO(text, { zone, setZone: true }), fraction !== undefined);
}

function checked(time: DateTime, isComputed: boolean): Moment | null {
	return time.isValid ? { time, isComputed } : null;
}
