import type { IExecuteFunctions } from 'n8n-workflow';

import { choiceField, readFields } from '../shared/fields/field';
import { messageIdField } from '../shared/fields/messageId';
import { invalidItem } from '../shared/fields/invalidItem';
import type { NodeOperation } from '../shared/items/operation';
import { singleRecipientFields } from '../shared/recipients/recipientFields';
import { readRecipients, type Recipient } from '../shared/recipients/recipients';
import type { Entry, Posting } from '../shared/sending/entry';
import { sending } from '../shared/sending/send';
import { StreamedForm } from '../shared/transport/multipart';
import { resendOptionsField, resendSettings } from './maxLetters';
import { MAYBE_RESENT, readNewIds } from './resend.operation';
import { formRecipients } from './send.operation';

const sendToField = choiceField({
	displayName: 'Send To',
	name: 'sendTo',
	options: [
		{
			name: 'New Contact',
			value: 'newContact',
			description: 'Another person, or the same one at another address',
		},
		{
			name: 'Original Contact',
			value: 'originalContact',
			description: 'The contact that the letter was sent to before',
		},
	],
	default: 'originalContact',
});

interface OldLetter extends Entry {
	id: string;
	/** Null for the original contact. */
	recipient: Recipient | null;
}

const posting: Posting<OldLetter> = {
	request: ([{ id, recipient }]) => ({
		method: 'POST',
		path: `/messages/${id}/resend`,
		...(recipient && { body: new StreamedForm(formRecipients([recipient]), []) }),
	}),

	read(status, body, [{ id, recipient }]) {
		const [messageId] = readNewIds(status, body, 1) ?? [];
		if (messageId === undefined) return null;
		return [[{ messageId, resentFrom: id, ...(recipient && { email: recipient.email }) }]];
	},
	expects: '201 and a message ID of 12 digits',

	unclear: MAYBE_RESENT,
	letter: ({ recipient }) => ({ recipients: [recipient?.email ?? null] }),
	addresses: ({ recipient }) => (recipient ? [recipient.email] : []),
};

/**
 * Resends one letter to its original contact or a new one (interface, POST /messages/{id}/resend; rules
 * RSND-04 to RSND-06). The node does not know whether it is an LRE, so it leaves a company's missing
 * identifier to the service.
 */
export const resendTo: NodeOperation = {
	name: 'Resend Letter to Contact',
	value: 'resendTo',
	description: 'Resend one letter to its original contact or a new one. It may be charged again.',
	action: 'Resend letter to contact (charged)',
	fields: [
		messageIdField,
		sendToField,
		...singleRecipientFields({ sendTo: ['newContact'] }),
		resendOptionsField,
	],
	execute: sending<OldLetter>({
		posting,
		settings: resendSettings(() => 1),
		prepare(context, itemIndex) {
			const fields = { id: messageIdField, sendTo: sendToField };
			const { id, sendTo } = readFields(context, itemIndex, fields);
			const contact = sendTo === 'newContact' ? readNewContact(context, itemIndex) : ORIGINAL;
			return { itemIndex, id, ...contact };
		},
	}),
};

type SendTo = Pick<OldLetter, 'recipient' | 'warnings'>;

const ORIGINAL: SendTo = { recipient: null };

function readNewContact(context: IExecuteFunctions, itemIndex: number): SendTo {
	const names = { form: sendToField.displayName, json: 'Recipient' };
	const { recipients, warnings } = readRecipients(context, itemIndex, false, names);
	if (recipients.length === 1) return { recipient: recipients[0], warnings };
	throw invalidItem(
		names.json,
		`A letter can be resent to one contact only; there are ${recipients.length}.`,
	);
}
