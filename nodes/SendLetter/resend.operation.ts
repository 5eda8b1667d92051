import type { IDataObject } from 'n8n-workflow';

import { addAdvice } from '../shared/advice';
import { checkedCredential, hintAtExpiry } from '../shared/credentialCheck';
import { StreamedForm } from '../shared/multipart';
import type { GroupOperation } from '../shared/perGroup';
import { postOnce } from '../shared/postOnce';
import { apiError, type Failure } from '../shared/serviceError';
import { readMessageIdsField } from './messageIdsField';
import { readNewIds } from './newMessageIds';

/**
 * Sends letters again to the contacts they went to (interface, POST /messages/resend; rules RSND-01 to
 * RSND-05). Gives one output item for each new letter.
 *
 * Each input item is a request of its own, with all the ids it names: the service takes all of a request
 * or nothing, so what stands or falls together is the user's to say, and one wrong row of a thousand
 * does not stop the others.
 */
export const resend: GroupOperation<string[]> = {
	async prepare(context, itemIndex) {
		const credential = await checkedCredential(context, itemIndex);
		if (itemIndex === 0) hintAtExpiry(context, credential, new Date());
		return readMessageIdsField(context, itemIndex);
	},

	async perform(context, [{ itemIndex, prepared: ids }]) {
		// Indexed like `recipients[0]`; how `ids` is written in a form is not shown (design, section 9).
		const fields = Object.fromEntries(ids.map((id, index) => [`ids[${index}]`, id]));
		const request = {
			method: 'POST',
			path: '/messages/resend',
			body: new StreamedForm(fields, []),
		} as const;
		const result = await postOnce(context, request, [itemIndex, ids]);
		if ('failure' in result) throw apiError(context, explained(result.failure, ids), itemIndex);
		return newLetters(result.body, ids).map((json) => ({ json, pairedItem: { item: itemIndex } }));
	},
};

/** Each new letter with the one it repeats: in their order, as long as the counts agree. */
function newLetters(answer: unknown, ids: string[]): IDataObject[] {
	const newIds = readNewIds(answer);
	if (newIds.length === ids.length) {
		return newIds.map((messageId, index) => ({ messageId, resentFrom: ids[index] }));
	}
	if (newIds.length > 0) return newIds.map((messageId) => ({ messageId, resentFrom: null }));
	return [{ messageId: null, resentFrom: ids, answer: answer as IDataObject }];
}

function explained(failure: Failure, ids: string[]): Failure {
	const known = failure.code === 'customer-not-found' ? addAdvice(failure, DELEGATION) : failure;
	if (ids.length === 1 || failure.code === 'outcome-unknown') return known;
	return addAdvice(
		known,
		`None of the ${ids.length} letters was sent again: the service takes all of them or none.`,
	);
}

const DELEGATION =
	'The letter was sent for a customer; its delegation to this account may have ended.';
