import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../shared/fields/isRecord';
import { readMessageIds } from '../shared/fields/messageId';
import { identifierWarnings } from '../shared/recipients/checkDigits';
import type { Entry, Posting } from '../shared/sending/entry';
import { sendRequest, type Letter } from './letter';

/** The letter of an input item. */
export interface LetterEntry extends Entry {
	letter: Letter;
}

/** How letters go out, and which answer says that they did (interface, POST /messages/bulk_send; rule SEND-01). */
export const sendPosting: Posting<LetterEntry> = {
	request(entries) {
		const [{ letter }] = entries;
		return sendRequest({ ...letter, recipients: entries.flatMap((one) => one.letter.recipients) });
	},

	/**
	 * Splits the answer among the entries, each message with its recipient's address. The interface does not
	 * show the order of `messages`: this assumes that of the recipients.
	 */
	read(status, body, entries) {
		if (status !== 201 || !isRecord(body)) return null;
		const ids = readIds(body.messages);
		const recipients = entries.flatMap(({ letter }) => letter.recipients);
		if (ids?.length !== recipients.length) return null;
		const messages = recipients.map(({ email }, at) => ({ id: ids[at], email }));
		return entries.map(({ letter }) => {
			const own = messages.splice(0, letter.recipients.length);
			const { type, fileReference = null, customerReference = null } = letter.fields;
			return {
				...(own.length === 1 && { messageId: own[0].id }),
				...{ type, fileReference, customerReference },
				...(body as IDataObject),
				messages: own,
			};
		});
	},
	expects: '201 and a different message ID of 12 digits for each recipient',

	unclear: {
		mayBe: 'the letter may have been sent',
		advice:
			'Check in the dashboard of the service whether the letter went out. A retry will not send it again, unless you set the option "If Outcome Is Unknown" to "Send Again".',
	},

	// By its position in the input (rule SEND-11).
	rows: ({ letter: { recipients } }) =>
		recipients.map(({ email }, at) => ({ email, ...(recipients.length > 1 && { recipient: at }) })),
	warnings: ({ letter }) => identifierWarnings(letter.recipients),
	bystander: (culprits, { message }) => ({
		message: `Not sent: it went in one request with ${culprits}, which the service refused`,
		description: `Correct ${culprits} and run again, turn on "Isolate Bad Entries", or turn off "Group Recipients" to send each item by itself. ${message}`,
	}),
};

// One ID for two recipients is one letter.
function readIds(messages: unknown): string[] | null {
	if (!Array.isArray(messages)) return null;
	const ids = readMessageIds(messages.map((message) => (isRecord(message) ? message.id : null)));
	return 'value' in ids ? ids.value : null;
}
