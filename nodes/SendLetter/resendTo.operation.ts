import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { checkedCredential, hintAtExpiry } from '../shared/credentialCheck';
import { readMessageId } from '../shared/messageId';
import { StreamedForm } from '../shared/multipart';
import { parameterError } from '../shared/perItem';
import { recipientFields } from '../shared/recipientFields';
import { readRecipients } from '../shared/recipientParameter';
import type { Recipient } from '../shared/recipients';
import type { Entry, Posting } from '../shared/sending/entry';
import { toItems } from '../shared/sending/output';
import { ABOUT_PEOPLE } from '../shared/sending/refusal';
import { ONE_BY_ONE, sendAll } from '../shared/sending/sendAll';
import { resendLimit, resendMaxLettersField } from './maxLetters';
import { readNewIds, RESENT } from './newMessageIds';

const show = { operation: ['resendTo'] };

export const resendToFields: INodeProperties[] = [
	{
		displayName: 'Message ID',
		name: 'messageId',
		type: 'string',
		default: '={{ $json.messageId }}',
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

interface Resend extends Entry {
	id: string;
	/** Null for the original contact. */
	recipient: Recipient | null;
}

/**
 * Sends one letter again, to its contact or to a new one (interface, POST /messages/{id}/resend; rules
 * RSND-04 to RSND-06). Whether it is an LRE cannot be known beforehand, so a missing certificate, or a
 * missing identifier of a company, is for the service to say.
 */
export async function resendTo(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const settings = () => ({ ...ONE_BY_ONE, refuse: resendLimit(context) });
	return toItems(await sendAll(context, { posting: resendToPosting, settings, prepare }));
}

async function prepare(context: IExecuteFunctions, itemIndex: number): Promise<Resend[]> {
	const credential = await checkedCredential(context, itemIndex);
	if (itemIndex === 0) hintAtExpiry(context, credential, new Date());
	const message = readMessageId(context.getNodeParameter('messageId', itemIndex, ''));
	if ('problem' in message) {
		throw parameterError(context, itemIndex, 'Message ID', message.problem);
	}
	return [{ itemIndex, id: message.id, recipient: readNewContact(context, itemIndex) }];
}

const resendToPosting: Posting<Resend> = {
	request: ([{ id, recipient }]) => ({
		method: 'POST',
		path: `/messages/${id}/resend`,
		...(recipient && { body: new StreamedForm(formOf(recipient), []) }),
	}),

	read(status, body, [{ id, recipient }]) {
		const newIds = status === 201 ? readNewIds(body) : null;
		if (newIds?.length !== 1) return null;
		const [messageId] = newIds;
		return [{ messageId, resentFrom: id, ...(recipient && { email: recipient.email }) }];
	},
	expects: '201 and a message ID of 12 digits',

	unclear: RESENT,
	named: ({ itemIndex, recipient }) => [{ itemIndex, email: recipient?.email ?? null }],
	scope: ABOUT_PEOPLE,
	because: (_, failure) => failure,
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
