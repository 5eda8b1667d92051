import type { INodeProperties } from 'n8n-workflow';

import { LONGEST_WAIT_DAYS } from '../../../webhook-receiver/src/core/wait-contract';

/** How long the wait is at most, for the canvas. */
export const deadlineSubtitle =
	'={{ $parameter["deadlineMode"] === "at" ? "Until a Date" : "Up to " + $parameter["deadlineAmount"] + " " + $parameter["deadlineUnit"][0].toUpperCase() + $parameter["deadlineUnit"].slice(1) }}';

/**
 * When the wait ends at the latest; see `deadline.ts`.
 *
 * @param unanswered what has no outcome by then, such as "Letters without one"
 * @param output name of the output that it leaves through
 */
export function deadlineFields(unanswered: string, output: string): INodeProperties[] {
	return [
		{
			displayName: 'Deadline',
			name: 'deadlineMode',
			type: 'options',
			options: [
				{
					name: 'After a Time',
					value: 'after',
					description: 'A number of minutes, hours or days from now',
				},
				{ name: 'At a Date', value: 'at', description: 'At a specific date and time' },
			],
			default: 'after',
			description: `When to continue at the latest. ${unanswered} by then leave through "${output}".`,
		},
		{
			displayName: 'Wait For',
			name: 'deadlineAmount',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 30,
			description: `How long to wait at most; the maximum is ${LONGEST_WAIT_DAYS} days`,
			displayOptions: { show: { deadlineMode: ['after'] } },
		},
		{
			displayName: 'Unit',
			name: 'deadlineUnit',
			type: 'options',
			options: [
				{ name: 'Days', value: 'days' },
				{ name: 'Hours', value: 'hours' },
				{ name: 'Minutes', value: 'minutes' },
			],
			default: 'days',
			displayOptions: { show: { deadlineMode: ['after'] } },
		},
		{
			displayName: 'Wait Until',
			name: 'deadlineAt',
			type: 'dateTime',
			default: '',
			required: true,
			description: `When to continue at the latest; at most ${LONGEST_WAIT_DAYS} days ahead. If it has passed, the node does not wait.`,
			displayOptions: { show: { deadlineMode: ['at'] } },
		},
	];
}

/**
 * Which output the items of a batch leave through.
 *
 * @param each what decides for each item
 * @param together what decides for all
 */
export function itemsLeaveField(each: string, together: string): INodeProperties {
	return {
		displayName: 'Items Leave',
		name: 'itemsLeave',
		type: 'options',
		options: [
			{ name: 'Each by Its Own Outcome', value: 'each', description: each },
			{ name: 'Together by the Worst', value: 'together', description: together },
		],
		default: 'each',
		description: 'Which output the items of a batch leave through',
	};
}
