import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { readFields } from '../shared/fields/field';
import { messageIdsField } from '../shared/fields/messageId';
import type { NodeOperation } from '../shared/items/operation';
import { perItem, type OutputItem } from '../shared/items/perItem';
import { requestService } from '../shared/transport/service';
import { ServiceFailed, unexpectedAnswer } from '../shared/transport/serviceError';
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

/**
 * Changes scheduled letters, and outputs an item for each. The interface shows neither the body nor the answer:
 * this assumes `{ids, scheduledAt}` and accepts any success that is JSON or empty (rule SCHD-05). What the
 * service answered is about all letters, so the first item has it. Text comes from another server. Repeating
 * the change does no harm, so it does not need the ledger.
 *
 * @param change what to ask for, besides the letters
 * @param done what each item says that was changed
 * @throws ServiceFailed
 */
export async function changeSchedule(
	context: IExecuteFunctions,
	path: '/messages/bulk_cancel' | '/messages/bulk_reschedule',
	ids: string[],
	change: IDataObject,
	done = change,
): Promise<OutputItem[]> {
	const request = { method: 'POST', path, body: { ids, ...change } } as const;
	const { status, body } = await requestService(context, request);
	if (typeof body === 'string' && body !== '') {
		throw new ServiceFailed(unexpectedAnswer(status, body, 'JSON or nothing'));
	}
	const answer = body ? { answer: body as IDataObject } : {};
	return ids.map((messageId, at) => ({ json: { messageId, ...done, ...(at === 0 && answer) } }));
}
