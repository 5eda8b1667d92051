import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../shared/isRecord';
import { callService, type ServiceRequest } from '../shared/service';
import { apiError, unexpectedAnswer } from '../shared/serviceError';

/**
 * Asks for a change of scheduled letters. The shape of the answer is not shown: any success is taken that
 * is JSON or empty, and passed on beside what was asked for (design, section 9; rule SCHD-05). Text is
 * the page of somebody else. To repeat such a change does no harm, so the ledger is not needed.
 *
 * @throws NodeApiError naming the item
 */
export async function changeSchedule(
	context: IExecuteFunctions,
	request: ServiceRequest,
	asked: IDataObject,
	itemIndex: number,
): Promise<IDataObject> {
	const result = await callService(context, request);
	if ('failure' in result) throw apiError(context, result.failure, itemIndex);
	const { status, body } = result;
	if (body === undefined || body === null || body === '') return asked;
	if (isRecord(body)) return { ...asked, ...(body as IDataObject) };
	if (typeof body !== 'string') return { ...asked, answer: body as IDataObject };
	const failure = unexpectedAnswer(status, body, 'JSON or nothing');
	throw apiError(context, failure, itemIndex);
}
