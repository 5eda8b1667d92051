import { readField } from '../shared/fields/field';
import { messageIdsField } from '../shared/fields/messageId';
import type { NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';
import { changeSchedule } from './reschedule.operation';

/** Cancels scheduled letters before they are sent (interface, POST /messages/bulk_cancel; rule SCHD-05). */
export const cancel: NodeOperation = {
	name: 'Cancel Letters',
	value: 'cancel',
	description: 'Cancel scheduled letters before they are sent',
	action: 'Cancel scheduled letters',
	fields: [messageIdsField],
	execute: perItem({
		prepare: (context, itemIndex) => readField(context, itemIndex, messageIdsField),

		perform: async (context, ids) =>
			await changeSchedule(context, '/messages/bulk_cancel', ids, {}, { cancelled: true }),
	}),
};
