import type { IExecuteFunctions } from 'n8n-workflow';

import { LONGEST_WAIT_DAYS } from '../../../webhook-receiver/src/core/wait-contract';
import { readDateTime } from '../fields/dateTime';
import { describeValue } from '../fields/describeValue';
import { readParameter } from '../fields/parameter';
import { aboveZero, oneOf, type Reader, type Reading } from '../fields/reading';
import type { Sleeping } from './sleeping';

/**
 * How long after the deadline n8n wakes the execution itself if nobody has: long enough for a receiver
 * that was away. n8n holds its own wake-up too at its concurrency limit, beside one that a node has
 * accepted, so none is accepted in the last half of it.
 */
export const GRACE_MS = 3_600_000;

/** Whether it is too late for another wake-up than n8n's own. */
export function isLeftToN8n({ ends }: Pick<Sleeping, 'ends'>, now: number): boolean {
	return now >= Date.parse(ends[ends.length - 1]) + GRACE_MS / 2;
}

const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

type Unit = keyof typeof UNIT_MS;

const LONGEST_MS = LONGEST_WAIT_DAYS * UNIT_MS.days;

/**
 * The deadline of all items in milliseconds since 1970, taken from the first: they wait together. May be
 * past.
 */
export function readDeadline(context: IExecuteFunctions, now: number): number {
	const read = <T>(name: string, displayName: string, byDefault: unknown, reader: Reader<T>) =>
		readParameter(context, 0, { name, displayName, default: byDefault as never }, reader);
	if (read('deadlineMode', 'Deadline', 'after', oneOf(['after', 'at'])) === 'at') {
		const timezone = context.getTimezone();
		return read('deadlineAt', 'Wait Until', '', (value) => deadlineAt(value, timezone, now));
	}
	const units = Object.keys(UNIT_MS) as Unit[];
	const unit = read('deadlineUnit', 'Unit', 'days', oneOf(units));
	return read('deadlineAmount', 'Wait For', 30, (value) => deadlineAfter(value, unit, now));
}

/** A number of minutes, hours or days from now. */
export function deadlineAfter(value: unknown, unit: Unit, now: number): Reading<number> {
	const amount = aboveZero(value);
	return 'problem' in amount ? amount : within(now + amount.value * UNIT_MS[unit], now);
}

/** A date and time, in the workflow's time zone unless it has an offset. May be past. */
export function deadlineAt(value: unknown, timezone: string, now: number): Reading<number> {
	const moment = readDateTime(value, timezone);
	if (moment !== null) return within(moment.time.toMillis(), now);
	return { problem: `${describeValue(value)} is not a date and time such as 2026-01-31T09:30.` };
}

function within(at: number, now: number): Reading<number> {
	if (at - now <= LONGEST_MS) return { value: at };
	return {
		problem: `It is more than ${LONGEST_WAIT_DAYS} days ahead. That is the longest possible wait.`,
	};
}
