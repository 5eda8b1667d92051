import { LONGEST_WAIT_DAYS } from '../../webhook-receiver/src/wait/wait-contract';
import { readDateTime } from '../shared/dateTime';
import { describeValue } from '../shared/describeValue';

const UNIT_MS: Record<string, number> = {
	minutes: 60_000,
	hours: 3_600_000,
	days: 86_400_000,
};

const LONGEST_MS = LONGEST_WAIT_DAYS * UNIT_MS.days;

/** The deadline in milliseconds since 1970, or what is wrong with it. */
export type Deadline = { at: number } | { problem: string };

/** So many minutes, hours or days from now. */
export function deadlineAfter(amount: unknown, unit: unknown, now: number): Deadline {
	const unitMs = Object.hasOwn(UNIT_MS, String(unit)) ? UNIT_MS[String(unit)] : NaN;
	// Number would take true for 1, and a list of one for its entry.
	const isGiven = typeof amount === 'number' || typeof amount === 'string';
	const duration = (isGiven ? Number(amount) : NaN) * unitMs;
	if (!(duration > 0)) return { problem: `${describeValue(amount)} is not a number above 0.` };
	return within(now + duration, now);
}

/** A date and time; without an offset, of the workflow's time zone. May be past. */
export function deadlineAt(value: unknown, timezone: string, now: number): Deadline {
	const moment = readDateTime(value, timezone);
	if (moment === null) {
		return { problem: `${describeValue(value)} is not a date and time such as 2026-01-31T09:30.` };
	}
	return within(moment.time.toMillis(), now);
}

function within(at: number, now: number): Deadline {
	if (at - now <= LONGEST_MS) return { at };
	return { problem: `It is more than ${LONGEST_WAIT_DAYS} days ahead, which is the longest wait.` };
}
