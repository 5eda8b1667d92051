import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { checkedCredential, hintAtExpiry } from '../shared/credentialCheck';
import { readMessageId } from '../shared/messageId';
import { StreamedForm } from '../shared/multipart';
import { parameterError, type ItemOperation } from '../shared/perItem';
import { postOnce } from '../shared/postOnce';
import { recipientFields } from '../shared/recipientFields';
import { readRecipients } from '../shared/recipientParameter';
import type { Recipient } from '../shared/recipients';
import { apiError } from '../shared/serviceError';
import { refuseTooManyResends, resendMaxLettersField } from './maxLetters';
import { readNewIds } from './newMessageIds';

const show = { operation: ['resendTo'] };

export const resendToFields: INodeProperties[] = [
	{
		displayName: 'Message ID',
		name: 'messageId',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. 000000000123',
		description: 'The letter to send again, by the 12 digits that Send Letter gave for it',
		displayOptions: { show },
	},
	{
		displayName: 'Send To',
		name: 'sendTo',
		type: 'options',
		options: [
			{
				name: 'New Contact',
				value: 'newContact',
				description: 'Someone else, or the same one at another address',
			},
			{
				name: 'Original Contact',
				value: 'originalContact',
				description: 'The contact the letter went to before',
			},
		],
		default: 'originalContact',
		displayOptions: { show },
	},
	...recipientFields({ ...show, sendTo: ['newContact'] }, { single: true }),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show },
		options: [resendMaxLettersField],
	},
];

interface Resend {
	id: string;
	/** Null for the original contact. */
	recipient: Recipient | null;
}

/**
 * Sends one letter again, to its contact or to a new one (interface, POST /messages/{id}/resend; rules
 * RSND-04 to RSND-06). Whether it is an LRE cannot be known beforehand, so a missing certificate, or a
 * missing identifier of a company, is for the service to say.
 */
export const resendTo: ItemOperation<Resend> = {
	async prepare(context, itemIndex) {
		const credential = await checkedCredential(context, itemIndex);
		if (itemIndex === 0) hintAtExpiry(context, credential, new Date());
		const message = readMessageId(context.getNodeParameter('messageId', itemIndex, ''));
		if ('problem' in message) {
			throw parameterError(context, itemIndex, 'Message ID', message.problem);
		}
		return { id: message.id, recipient: readNewContact(context, itemIndex) };
	},

	refuse: (context, all) => refuseTooManyResends(context, all.length),

	async perform(context, { id, recipient }, itemIndex) {
		const request = {
			method: 'POST',
			path: `/messages/${id}/resend`,
			...(recipient && { body: new StreamedForm(formOf(recipient), []) }),
		} as const;
		const result = await postOnce(context, request, [itemIndex, recipient]);
		if ('failure' in result) throw apiError(context, result.failure, itemIndex);
		const [messageId = null] = readNewIds(result.body);
		return {
			messageId,
			resentFrom: id,
			...(recipient && { email: recipient.email }),
			...(messageId === null && { answer: result.body as IDataObject }),
		};
	},
};

function readNewContact(context: IExecuteFunctions, itemIndex: number): Recipient | null {
	if (context.getNodeParameter('sendTo', itemIndex) !== 'newContact') return null;
	const recipients = readRecipients(context, itemIndex, false);
	if (recipients.length > 1) {
		throw parameterError(
			context,
			itemIndex,
			'Recipients',
			`A letter is sent again to one contact; there are ${recipients.length}.`,
		);
	}
	return recipients[0];
}

function formOf(recipient: Recipient): Record<string, string> {
	return Object.fromEntries(
		Object.entries(recipient).map(([name, value]) => [`recipients[0].${name}`, String(value)]),
	);
}
