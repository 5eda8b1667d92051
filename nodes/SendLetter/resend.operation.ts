import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { addAdvice } from '../shared/advice';
import { checkedCredential, hintAtExpiry } from '../shared/credentialCheck';
import { isolateField, readIsolate } from '../shared/isolateField';
import { StreamedForm } from '../shared/multipart';
import type { GroupOperation } from '../shared/perGroup';
import { postEntries, type AtomicCall } from '../shared/postEntries';
import type { Failure } from '../shared/serviceError';
import { resendMaxLettersField, refuseTooManyResends } from './maxLetters';
import { readMessageIdsField } from './messageIdsField';
import { readNewIds } from './newMessageIds';

export const resendFields: INodeProperties[] = [
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: { operation: ['resend'] } },
		options: [
			isolateField(
				'message IDs',
				'Each ID then has a result of its own, and up to 250 go in one request.',
			),
			resendMaxLettersField,
		],
	},
];

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
		if (itemIndex === 0) {
			hintAtExpiry(context, credential, new Date());
			readIsolate(context);
		}
		return readMessageIdsField(context, itemIndex);
	},

	refuse: (context, all) => refuseTooManyResends(context, all.flat().length),

	async perform(context, [{ itemIndex, prepared: ids }]) {
		const named = ids.map((id) => ({ itemIndex, id }));
		return await postEntries(context, resendCall, named, readIsolate(context));
	},
};

interface NamedLetter {
	itemIndex: number;
	id: string;
}

const resendCall: AtomicCall<NamedLetter> = {
	path: '/messages/resend',
	// A letter may be gone, or its customer, or be an LRE; a payment is about all of them.
	scope: { statuses: [400, 404, 405, 409, 410, 422], exceptCodes: [] },

	// Indexed like `recipients[0]`; how `ids` is written in a form is not shown (design, section 9).
	body(named) {
		const fields = named.map(({ id }, index) => [`ids[${index}]`, id]);
		return new StreamedForm(Object.fromEntries(fields), []);
	},

	sent: ({ itemIndex }) => ({ itemIndex, email: null }),
	details: ({ id }) => ({ resentFrom: id }),
	explain: (failure, named) => explained(failure, named.length),

	output(body, named) {
		const ids = named.map(({ id }) => id);
		const [{ itemIndex }] = named;
		return newLetters(body, ids).map((json) => ({ json, pairedItem: { item: itemIndex } }));
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

function explained(failure: Failure, count: number): Failure {
	const known = failure.code === 'customer-not-found' ? addAdvice(failure, DELEGATION) : failure;
	if (count === 1 || failure.code === 'outcome-unknown') return known;
	return addAdvice(
		known,
		`None of the ${count} letters was sent again: the service takes all of them or none.`,
	);
}

const DELEGATION =
	'The letter was sent for a customer; its delegation to this account may have ended.';
