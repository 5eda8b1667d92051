import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { messageIdField, readMessageId } from '../shared/fields/messageId';
import { Options } from '../shared/fields/options';
import { readParameter } from '../shared/fields/parameter';
import { oneOf } from '../shared/fields/reading';
import { invalidItem } from '../shared/items/invalidItem';
import { optionsField, type NodeOperation } from '../shared/items/operation';
import { identifierWarnings } from '../shared/recipients/checkDigits';
import { singleRecipientFields } from '../shared/recipients/recipientFields';
import { readRecipients } from '../shared/recipients/recipientParameter';
import type { Recipient } from '../shared/recipients/recipients';
import type { Entry, Posting } from '../shared/sending/entry';
import { sending } from '../shared/sending/sendAll';
import { ONE_BY_ONE } from '../shared/sending/settings';
import { StreamedForm } from '../shared/transport/multipart';
import { formRecipients } from './letter';
import { refuseResends, resendMaxLettersField } from './maxLetters';
import { hintAtExpiryOnce, MAYBE_RESENT, readNewIds } from './resending';

const sendToField: INodeProperties = {
	displayName: 'Send To',
	name: 'sendTo',
	type: 'options',
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
};

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
		return [{ messageId, resentFrom: id, ...(recipient && { email: recipient.email }) }];
	},
	expects: '201 and a message ID of 12 digits',

	unclear: MAYBE_RESENT,
	rows: ({ recipient }) => [{ email: recipient?.email ?? null }],
	warnings: ({ recipient }) => identifierWarnings(recipient ? [recipient] : []),
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
		optionsField([resendMaxLettersField]),
	],
	execute: sending<OldLetter>({
		posting,
		settings: (context) => ({
			...ONE_BY_ONE,
			refuse: refuseResends(Options.of(context, 0)),
		}),
		async prepare(context, itemIndex) {
			await hintAtExpiryOnce(context, itemIndex);
			const id = readParameter(context, itemIndex, messageIdField, readMessageId);
			return [{ itemIndex, id, recipient: readNewContact(context, itemIndex) }];
		},
	}),
};

function readNewContact(context: IExecuteFunctions, itemIndex: number): Recipient | null {
	const readSendTo = oneOf(['originalContact', 'newContact']);
	const sendTo = readParameter(context, itemIndex, sendToField, readSendTo);
	if (sendTo === 'originalContact') return null;
	const names = { form: sendToField.displayName, json: 'Recipient' };
	const recipients = readRecipients(context, itemIndex, false, names);
	if (recipients.length === 1) return recipients[0];
	throw invalidItem(
		names.json,
		`A letter can be resent to one contact only; there are ${recipients.length}.`,
	);
}
