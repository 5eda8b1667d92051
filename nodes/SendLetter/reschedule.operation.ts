import type { INodeProperties } from 'n8n-workflow';

import { checkedCredential } from '../shared/credentialCheck';
import { parameterError, type ItemOperation } from '../shared/perItem';
import { readSchedule } from '../shared/schedule';
import { readMessageIdsField } from './messageIdsField';
import { changeSchedule } from './scheduleAnswer';

export const rescheduleFields: INodeProperties[] = [
	{
		displayName: 'Scheduled At',
		name: 'scheduledAt',
		type: 'dateTime',
		default: '',
		required: true,
		description:
			'When to send the letters instead: at least 15 minutes and at most 90 days from now, in the time zone of the workflow unless the value has an offset',
		displayOptions: { show: { operation: ['reschedule'] } },
	},
];

interface Reschedule {
	ids: string[];
	scheduledAt: string;
}

/**
 * Moves scheduled letters to another time (interface, POST /messages/bulk_reschedule; rules SCHD-01,
 * SCHD-02, SCHD-05). Doing it twice does no harm, so nothing is remembered.
 */
export const reschedule: ItemOperation<Reschedule> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		const ids = readMessageIdsField(context, itemIndex);
		const value = context.getNodeParameter('scheduledAt', itemIndex, '');
		const schedule = readSchedule(value, context.getTimezone(), new Date());
		if ('problem' in schedule) {
			throw parameterError(context, itemIndex, 'Scheduled At', schedule.problem);
		}
		return { ids, scheduledAt: schedule.at };
	},

	async perform(context, { ids, scheduledAt }, itemIndex) {
		// The shape is not shown; this one is assumed (design, section 9).
		const body = { ids, scheduledAt };
		const request = { method: 'POST', path: '/messages/bulk_reschedule', body } as const;
		const asked = { messageIds: ids, scheduledAt };
		return await changeSchedule(context, request, asked, itemIndex);
	},
};
