import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { addAdvice } from '../shared/advice';
import { checkedCredential, hintAtExpiry } from '../shared/credentialCheck';
import { StreamedForm } from '../shared/multipart';
import type { Entry, Posting } from '../shared/sending/entry';
import { isolateField, isolationSettings } from '../shared/sending/isolateField';
import { toItems } from '../shared/sending/output';
import { sendAll, type SendingSettings } from '../shared/sending/sendAll';
import type { Failure } from '../shared/serviceError';
import { resendLimit, resendMaxLettersField } from './maxLetters';
import { readMessageIdsField } from './messageIdsField';
import { readNewIds, RESENT } from './newMessageIds';

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
export async function resend(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	return toItems(await sendAll(context, { posting: resendPosting, settings, prepare }));
}

interface NamedLetter extends Entry {
	id: string;
}

function settings(context: IExecuteFunctions): SendingSettings<NamedLetter> {
	return {
		...isolationSettings(context, () => null),
		refuse: resendLimit(context),
	};
}

async function prepare(context: IExecuteFunctions, itemIndex: number): Promise<NamedLetter[]> {
	const credential = await checkedCredential(context, itemIndex);
	if (itemIndex === 0) hintAtExpiry(context, credential, new Date());
	return readMessageIdsField(context, itemIndex).map((id) => ({ itemIndex, id }));
}

const resendPosting: Posting<NamedLetter> = {
	// Indexed like `recipients[0]`; how `ids` is written in a form is not shown (design, section 9).
	request(named) {
		const fields = named.map(({ id }, index) => [`ids[${index}]`, id]);
		const body = new StreamedForm(Object.fromEntries(fields), []);
		return { method: 'POST', path: '/messages/resend', body };
	},

	// The new letters stand in the order of those they repeat.
	read(status, body, named) {
		const newIds = status === 201 ? readNewIds(body) : null;
		if (newIds?.length !== named.length) return null;
		return named.map(({ id }, at) => ({ messageId: newIds[at], resentFrom: id }));
	},
	expects: '201 and a message ID of 12 digits for each letter',

	unclear: RESENT,
	named: ({ itemIndex }) => [{ itemIndex, email: null }],
	// A letter may be gone, or its customer, or be an LRE; a payment is about all of them.
	scope: { statuses: [400, 404, 405, 409, 410, 422], exceptCodes: [] },
	because: (_, failure) => failure,
	explain: (failure, named) => explained(failure, named.length),
	details: ({ id }) => ({ resentFrom: id }),
};

function explained(failure: Failure, count: number): Failure {
	const known = failure.code === 'customer-not-found' ? addAdvice(failure, DELEGATION) : failure;
	if (count === 1) return known;
	return addAdvice(
		known,
		`None of the ${count} letters was sent again: the service takes all of them or none.`,
	);
}

const DELEGATION =
	'The letter was sent for a customer; its delegation to this account may have ended.';
