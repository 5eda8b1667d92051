import type { DateTime } from 'luxon';

import { readDateTime } from './dateTime';
import { describeValue } from './describeValue';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Bounds of the service, both inclusive, in milliseconds from its own now (rule SCHD-02). */
const EARLIEST = 15 * MINUTE;
// In hours: a calendar day of 23 or 25 hours would move the bound, and the service counts in UTC.
const LATEST_DAYS = 90;
const LATEST = LATEST_DAYS * 24 * 60 * MINUTE;

/** For the way to the service, and between the clock that an expression read and ours. */
const ALLOWANCE = 30 * SECOND;

/** A service whose clock is behind must not find the last moment too late. */
const CLOCK_BEHIND = 5 * SECOND;

export type Schedule = { at: string } | { problem: string };

/**
 * Reads the time a letter is to go out and gives it in ISO 8601 with its offset (rules SCHD-01,
 * SCHD-02). A time without offset, as n8n's date picker gives it, is meant in the workflow's zone.
 *
 * A time that was typed is taken to the second. One that was worked out, as `$now.plus({ days: 90 })`
 * is, becomes a whole minute: it is read some moments after `now` and differs from item to item, so to
 * the millisecond it would miss the bound it was meant to keep, and put each letter into a request of
 * its own.
 *
 * @param value text, a luxon DateTime or a Date: what fields and expressions can hold
 * @param now our own clock, read before or soon after the expression
 */
export function readSchedule(value: unknown, timezone: string, now: Date): Schedule {
	const moment = readDateTime(value, timezone);
	if (moment === null) {
		return {
			problem: `${describeValue(value)} is not a date and time such as 2026-01-31T09:30 or 2026-01-31T09:30:00+01:00.`,
		};
	}
	const { time, isComputed } = moment;
	const allowance = isComputed ? ALLOWANCE : 0;
	const ahead = time.toMillis() - now.getTime();
	if (ahead < EARLIEST - allowance) {
		return { problem: 'The time must be at least 15 minutes in the future.' };
	}
	if (ahead > LATEST + allowance) return { problem: tooLate(time, timezone, now, allowance) };
	const at = isComputed ? wholeMinute(time, now) : time;
	return { at: at.toISO({ suppressMilliseconds: true }) ?? '' };
}

/** The next whole minute that the service will take, or at the far end the last one. */
function wholeMinute(time: DateTime, now: Date): DateTime {
	const up = (ms: number) => Math.ceil(ms / MINUTE) * MINUTE;
	const next = Math.max(up(time.toMillis()), up(now.getTime() + EARLIEST + ALLOWANCE));
	const last = now.getTime() + LATEST - CLOCK_BEHIND;
	const chosen = next <= last ? next : Math.floor(last / MINUTE) * MINUTE;
	return time.plus(chosen - time.toMillis());
}

function tooLate(time: DateTime, timezone: string, now: Date, allowance: number): string {
	const words = `The time must be at most ${LATEST_DAYS} days in the future`;
	// By the calendar of the workflow it is not: its clocks go back in between.
	const byCalendar = time.setZone(timezone).minus({ days: LATEST_DAYS, milliseconds: allowance });
	if (byCalendar.toMillis() > now.getTime()) return `${words}.`;
	const hours = LATEST_DAYS * 24;
	return `${words}, which the service counts as ${hours.toLocaleString('en')} hours. The clocks of ${timezone} go back before then, so ${LATEST_DAYS} calendar days are longer: choose a time at least an hour earlier.`;
}
