import { readFields } from '../shared/fields/field';
import { messageIdsField } from '../shared/fields/messageId';
import type { NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';
import { changeSchedule } from './changeSchedule';
import { scheduledAtField } from './schedule';

const newTimeField = { ...scheduledAtField, required: true };

/**
 * Moves scheduled letters to another time (interface, POST /messages/bulk_reschedule; rules SCHD-01,
 * SCHD-02, SCHD-05).
 */
export const reschedule: NodeOperation = {
	name: 'Reschedule Letters',
	value: 'reschedule',
	description: 'Move scheduled letters to another time',
	action: 'Reschedule letters',
	fields: [messageIdsField, newTimeField],
	execute: perItem({
		prepare: (context, itemIndex) =>
			readFields(context, itemIndex, { ids: messageIdsField, scheduledAt: newTimeField }),

		perform: async (context, { ids, scheduledAt }) =>
			await changeSchedule(context, '/messages/bulk_reschedule', ids, { scheduledAt }),
	}),
};
