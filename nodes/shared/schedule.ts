import { DateTime } from 'luxon';

const EARLIEST = { minutes: 15 };
// In hours: a calendar day of 23 or 25 hours would move the bound, and the service counts in UTC.
const LATEST = { hours: 90 * 24 };

export type Schedule = { at: string } | { problem: string };

/**
 * Reads the time a letter is to go out and gives it in ISO 8601 with its offset (rules SCHD-01,
 * SCHD-02). A time without offset, as n8n's date picker gives it, is meant in the workflow's zone.
 *
 * @param value text, a luxon DateTime or a Date: what fields and expressions can hold
 */
export function readSchedule(value: unknown, timezone: string, now: Date): Schedule {
	const time = toDateTime(value, timezone);
	if (!time?.isValid) {
		return {
			problem: `${JSON.stringify(value)} is not a date and time such as 2026-01-31T09:30:00+01:00.`,
		};
	}
	const current = DateTime.fromJSDate(now);
	if (time < current.plus(EARLIEST)) {
		return { problem: 'The time must be at least 15 minutes in the future.' };
	}
	if (time > current.plus(LATEST)) {
		return { problem: 'The time must be at most 90 days in the future.' };
	}
	return { at: time.toISO({ suppressMilliseconds: true }) ?? '' };
}

function toDateTime(value: unknown, zone: string): DateTime | null {
	if (DateTime.isDateTime(value)) return value;
	if (value instanceof Date) return DateTime.fromJSDate(value, { zone });
	if (typeof value !== 'string') return null;
	const text = value.trim();
	const iso = DateTime.fromISO(text, { zone, setZone: true });
	return iso.isValid ? iso : DateTime.fromSQL(text, { zone, setZone: true });
}
