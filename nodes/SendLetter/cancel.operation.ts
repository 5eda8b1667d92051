import { checkedCredential } from '../shared/credentialCheck';
import type { ItemOperation } from '../shared/perItem';
import { readMessageIdsField } from './messageIdsField';
import { changeSchedule } from './scheduleAnswer';

/** Calls scheduled letters off before they leave (interface, POST /messages/bulk_cancel; rule SCHD-05). */
export const cancel: ItemOperation<string[]> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		return readMessageIdsField(context, itemIndex);
	},

	async perform(context, ids, itemIndex) {
		// The shape is not shown; this one is assumed (design, section 9).
		const request = { method: 'POST', path: '/messages/bulk_cancel', body: { ids } } as const;
		const asked = { messageIds: ids, cancelled: true };
		return await changeSchedule(context, request, asked, itemIndex);
	},
};
