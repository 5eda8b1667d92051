import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../shared/fields/isRecord';
import { requestService } from '../shared/transport/service';
import { ServiceFailed, unexpectedAnswer } from '../shared/transport/serviceError';

/**
 * Changes scheduled letters. The interface shows neither the body nor the answer: this assumes `{ids,
 * scheduledAt}`, accepts any success that is JSON or empty, and returns it with what was changed (rule SCHD-05). Text is a page from another server. Repeating the change does no harm, so it does
 * not need the ledger.
 *
 * @throws ServiceFailed
 */
export async function changeSchedule(
	context: IExecuteFunctions,
	path: '/messages/bulk_cancel' | '/messages/bulk_reschedule',
	ids: string[],
	change: IDataObject,
): Promise<IDataObject> {
	const request = { method: 'POST', path, body: { ids, ...change } } as const;
	const { status, body } = await requestService(context, request);
	const changed = { messageIds: ids, ...change };
	if (body === undefined || body === null || body === '') return changed;
	if (isRecord(body)) return { ...changed, ...(body as IDataObject) };
	if (typeof body !== 'string') return { ...changed, answer: body as IDataObject };
	throw new ServiceFailed(unexpectedAnswer(status, body, 'JSON or nothing'));
}
