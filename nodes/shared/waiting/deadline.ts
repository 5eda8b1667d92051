import type { IExecuteFunctions } from 'n8n-workflow';

import { LONGEST_WAIT_DAYS } from '../../../webhook-receiver/src/core/wait-contract';
import { readDateTime } from '../fields/dateTime';
import { describeValue } from '../fields/describeValue';
import { oneOf } from '../fields/reading';
import { invalidItem } from '../items/invalidItem';

const UNIT_MS: Record<string, number> = {
	minutes: 60_000,
	hours: 3_600_000,
	days: 86_400_000,
};

const LONGEST_MS = LONGEST_WAIT_DAYS * UNIT_MS.days;

/** The deadline in milliseconds since 1970, or what is wrong with it. */
export type Deadline = { at: number } | { problem: string };

/** The deadline of all items, taken from the first: they wait together. May be past. */
export function readDeadline(context: IExecuteFunctions, now: number): number {
	const field = (name: string, fallback: unknown) => context.getNodeParameter(name, 0, fallback);
	const mode = oneOf(['after', 'at'])(field('deadlineMode', 'after'));
	if ('problem' in mode) throw invalidItem('Deadline', mode.problem);
	const isDate = mode.value === 'at';
	const deadline = isDate
		? deadlineAt(field('deadlineAt', ''), context.getTimezone(), now)
		: deadlineAfter(field('deadlineAmount', 30), field('deadlineUnit', 'days'), now);
	if ('at' in deadline) return deadline.at;
	throw invalidItem(isDate ? 'Wait Until' : 'Wait For', deadline.problem);
}

/** A number of minutes, hours or days from now. */
export function deadlineAfter(amount: unknown, unit: unknown, now: number): Deadline {
	const unitMs = Object.hasOwn(UNIT_MS, String(unit)) ? UNIT_MS[String(unit)] : NaN;
	// Number would accept true as 1, and a one-entry list as its entry.
	const isGiven = typeof amount === 'number' || typeof amount === 'string';
	const duration = (isGiven ? Number(amount) : NaN) * unitMs;
	if (!(duration > 0)) return { problem: `${describeValue(amount)} is not a number above 0.` };
	return within(now + duration, now);
}

/** A date and time, in the workflow's time zone unless it has an offset. May be past. */
export function deadlineAt(value: unknown, timezone: string, now: number): Deadline {
	const moment = readDateTime(value, timezone);
	if (moment === null) {
		return { problem: `${describeValue(value)} is not a date and time such as 2026-01-31T09:30.` };
	}
	return within(moment.time.toMillis(), now);
}

function within(at: number, now: number): Deadline {
	if (at - now <= LONGEST_MS) return { at };
	return {
		problem: `It is more than ${LONGEST_WAIT_DAYS} days ahead. That is the longest possible wait.`,
	};
}
