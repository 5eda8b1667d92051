import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { LONGEST_WAIT_DAYS } from '../../../webhook-receiver/src/core/wait-contract';
import { readMoment } from '../fields/dateTime';
import { choiceField, field, readField, readFields, type Reading } from '../fields/field';
import { amountField } from '../fields/numberField';
import { invalidItem } from '../fields/invalidItem';
import type { StoredWait } from '../polling/storedWait';

/**
 * How long after the deadline n8n wakes the execution itself if nobody has: long enough for a receiver
 * that was away. n8n holds its own wake-up too at its concurrency limit, beside one that a node has
 * accepted, so none is accepted in the last half of it.
 */
export const GRACE_MS = 3_600_000;

/** Whether it is too late for another wake-up than n8n's own, by n8n's clock as all that n8n does. */
export function isLeftToN8n({ n8nWakesAt }: StoredWait, now: number): boolean {
	return now >= n8nWakesAt - GRACE_MS / 2;
}

/** How long the wait is at most, for the canvas. */
export const deadlineSubtitle =
	'={{ $parameter["deadlineMode"] === "at" ? "Until a Date" : "Up to " + $parameter["deadlineAmount"] + " " + $parameter["deadlineUnit"][0].toUpperCase() + $parameter["deadlineUnit"].slice(1) }}';

const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

const LONGEST_WAIT_MS = LONGEST_WAIT_DAYS * UNIT_MS.days;

const modeField = choiceField({
	displayName: 'Deadline',
	name: 'deadlineMode',
	options: [
		{
			name: 'After a Time',
			value: 'after',
			description: 'A number of minutes, hours or days from now',
		},
		{ name: 'At a Date', value: 'at', description: 'At a specific date and time' },
	],
	default: 'after',
});

const waitForField = amountField({
	displayName: 'Wait For',
	name: 'deadlineAmount',
	default: 30,
	description: `How long to wait at most; the maximum is ${LONGEST_WAIT_DAYS} days`,
	displayOptions: { show: { deadlineMode: ['after'] } },
});

const unitField = choiceField({
	displayName: 'Unit',
	name: 'deadlineUnit',
	options: [
		{ name: 'Days', value: 'days' },
		{ name: 'Hours', value: 'hours' },
		{ name: 'Minutes', value: 'minutes' },
	],
	default: 'days',
	displayOptions: { show: { deadlineMode: ['after'] } },
});

const atField = field(
	{
		displayName: 'Wait Until',
		name: 'deadlineAt',
		type: 'dateTime',
		default: '',
		required: true,
		description: `When to continue at the latest; at most ${LONGEST_WAIT_DAYS} days ahead. If it has passed, the node does not wait.`,
		displayOptions: { show: { deadlineMode: ['at'] } },
	},
	(value, context): Reading<number> => {
		const read = readMoment(value, context.getTimezone());
		return 'value' in read ? { value: read.value.toMillis() } : read;
	},
);

/**
 * When the wait ends at the latest.
 *
 * @param unanswered what has no outcome by then, such as "Letters without one"
 * @param output name of the output that it leaves through
 */
export function deadlineFields(unanswered: string, output: string): INodeProperties[] {
	const description = `When to continue at the latest. ${unanswered} by then leave through "${output}".`;
	return [{ ...modeField, description }, waitForField, unitField, atField];
}

/**
 * The deadline of all items in milliseconds since 1970, by the clock that tells `now`. It is taken from the first
 * item, since they wait together, and may be past.
 */
export function readDeadline(context: IExecuteFunctions): (now: number) => number {
	if (readField(context, 0, modeField) === 'at') {
		const at = readField(context, 0, atField);
		return (now) => within(at, now, atField);
	}
	const { unit, amount } = readFields(context, 0, { unit: unitField, amount: waitForField });
	return (now) => within(now + amount * UNIT_MS[unit], now, waitForField);
}

function within(at: number, now: number, { displayName }: INodeProperties): number {
	if (at - now <= LONGEST_WAIT_MS) return at;
	throw invalidItem(
		displayName,
		`It is more than ${LONGEST_WAIT_DAYS} days ahead. That is the longest possible wait.`,
	);
}
