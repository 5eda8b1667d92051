import type { DateTime } from 'luxon';

import { readDateTime } from '../shared/fields/dateTime';
import { describeValue } from '../shared/fields/describeValue';
import { field, type Reading } from '../shared/fields/field';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The service's bounds, both inclusive, in milliseconds from its own now (rule SCHD-02). */
const EARLIEST = 15 * MINUTE;
// Days of 24 hours: the service counts in UTC, where no calendar day has 23 or 25.
const LATEST_DAYS = 90;
const LATEST = LATEST_DAYS * 24 * 60 * MINUTE;

/** For transit to the service, and for the time between the expression's clock reading and ours. */
const ALLOWANCE = 30 * SECOND;

/** Keeps a service with a slow clock from rejecting the last moment as too late. */
const CLOCK_BEHIND = 5 * SECOND;

/** When to send letters. */
export const scheduledAtField = field(
	{
		displayName: 'Scheduled At',
		name: 'scheduledAt',
		type: 'dateTime',
		default: '',
		description: 'When to send: at least 15 minutes and at most 90 days from now',
		hint: "In the time zone of the workflow (see its settings), unless the value has an offset. 'Check Letters' shows it.",
	},
	(value, context) => readSchedule(value, context.getTimezone(), new Date()),
);

/**
 * Reads when a letter is to go out, as ISO 8601 with an offset (rules SCHD-01, SCHD-02). A time without
 * offset, as n8n's date picker gives it, is in the workflow's zone.
 *
 * A typed time counts to the second. A computed one, such as `$now.plus({ days: 90 })`, becomes a whole
 * minute: it differs from item to item and is read some moments after `now`, so to the millisecond it
 * would miss the bound it was meant to keep, and put each letter into a request of its own.
 *
 * @param value a text, a luxon DateTime or a Date: what fields and expressions can hold
 * @param now our own clock, read before or soon after the expression
 */
export function readSchedule(value: unknown, timezone: string, now: Date): Reading<string> {
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
	return { value: at.toISO({ suppressMilliseconds: true }) ?? '' };
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
	const limit = `The time must be at most ${LATEST_DAYS} days in the future`;
	// It is within bounds by the workflow's calendar, whose clocks go back in between.
	const byCalendar = time.setZone(timezone).minus({ days: LATEST_DAYS, milliseconds: allowance });
	if (byCalendar.toMillis() > now.getTime()) return `${limit}.`;
	const hours = LATEST_DAYS * 24;
	return `${limit}, which the service counts as ${hours.toLocaleString('en')} hours. The clocks of ${timezone} go back before then, so ${LATEST_DAYS} calendar days are longer: choose a time at least an hour earlier.`;
}
