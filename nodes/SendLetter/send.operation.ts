import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { readOptions } from '../shared/fields/field';
import { readMessageIds } from '../shared/fields/messageId';
import type { NodeOperation } from '../shared/items/operation';
import type { Recipient } from '../shared/recipients/recipients';
import type { LetterFacts, Posting, SendingSettings, Verdict } from '../shared/sending/entry';
import { sending } from '../shared/sending/send';
import { StreamedForm } from '../shared/transport/multipart';
import { transferTimeout, type ServiceRequest } from '../shared/transport/service';
import { totalSize } from '../shared/items/inputFiles';
import { prepareLetter, type Letter, type LetterEntry } from './letter';
import { DEFAULT_MAX_RECIPIENTS, letterFields, mailingOptions } from './letterFields';
import { countInWords, countLetters, tooManyLetters, type LetterCount } from './maxLetters';

/** The request of letters, and which answer says that they went out (interface, POST /messages/bulk_send; rule SEND-01). */
const posting: Posting<LetterEntry> = {
	request(entries) {
		const [{ letter }] = entries;
		return sendRequest({ ...letter, recipients: entries.flatMap((one) => one.letter.recipients) });
	},

	/**
	 * Splits the answer among the entries, each message with its recipient's address. The interface does not
	 * show the order of `messages`: this assumes that of the recipients.
	 */
	read(status, body, entries) {
		const recipients = entries.flatMap(({ letter }) => letter.recipients);
		const ids = status === 201 ? readIds(body) : null;
		if (ids?.length !== recipients.length) return null;
		const outputs: IDataObject[][] = [];
		let next = 0;
		for (const { letter } of entries) {
			const messages: IDataObject[] = [];
			for (const { email } of letter.recipients) messages.push({ id: ids[next++], email });
			const { fileReference = null, customerReference = null } = letter.fields;
			const { type, scheduledAt = null } = letter.fields;
			const output: IDataObject = {
				...(messages.length === 1 && { messageId: messages[0].id }),
				type,
				fileReference,
				customerReference,
				scheduledAt,
				...(body as IDataObject),
				messages,
			};
			outputs.push([output]);
		}
		return outputs;
	},
	expects: '201 and a different message ID of 12 digits for each recipient',

	unclear: {
		mayBe: 'the letter may have been sent',
		advice:
			"Check in the dashboard of the service whether the letter went out. A retry will not send it again, unless you set the option 'If Outcome Is Unknown' to 'Send Again'.",
	},

	letter: ({ letter: { fields, recipients } }) => ({
		type: fields.type as LetterFacts['type'],
		sender: fields.sender ?? null,
		fileReference: fields.fileReference ?? null,
		customerReference: fields.customerReference ?? null,
		recipients: recipients.map(({ email }) => email),
	}),
	addresses: ({ letter: { recipients } }) => recipients.map(({ email }) => email),
};

/** Sends one letter to each recipient of every item (interface, POST /messages/bulk_send). */
export const send: NodeOperation = {
	name: 'Send Letter',
	value: 'send',
	description:
		'Send a letter to one or more recipients, now or later. Each recipient is charged as a letter; registered letters (LRE) have legal effect.',
	action: 'Send letter (charged)',
	fields: letterFields,
	execute: sending<LetterEntry>({
		posting,
		settings: readMailingSettings,
		prepare: prepareLetter,
		report: reportMailing,
	}),
};

/** How letters go out, for Send and Check alike. */
export interface MailingSettings extends SendingSettings<LetterEntry> {
	/** How many letters may go out; null for no limit. */
	maxLetters: number | null;
}

/**
 * Settings of the whole run, from the first item.
 *
 * @throws InvalidItem if one is invalid: a limit that cannot be read must let nothing out
 */
export function readMailingSettings(context: IExecuteFunctions): MailingSettings {
	const options = readOptions(context, 0, mailingOptions);
	const { maxLetters = null } = options;
	const most = options.maxRecipientsPerRequest ?? DEFAULT_MAX_RECIPIENTS;
	return {
		...(options.groupRecipients === true && { groups: (entries) => groupsOf(entries, most) }),
		concurrency: options.concurrency,
		sendsUnknownAgain: options.ifOutcomeUnknown === 'sendAgain',
		maxLetters,
		...(maxLetters !== null && {
			refuse: (entries) => tooManyLetters(countOf(entries), maxLetters),
		}),
	};
}

/** As few requests as possible: of equal letters, in the order of the input. One with more recipients goes alone. */
function groupsOf<E extends LetterEntry>(entries: readonly E[], most: number): E[][] {
	const groups: E[][] = [];
	const open = new Map<string, { group: E[]; room: number }>();
	for (const entry of entries) {
		const key = contentKey(entry.letter);
		const needed = entry.letter.recipients.length;
		const found = open.get(key);
		if (found && found.room >= needed) {
			found.group.push(entry);
			found.room -= needed;
			continue;
		}
		const group = [entry];
		groups.push(group);
		open.set(key, { group, room: most - needed });
	}
	return groups;
}

/** Equal for letters that differ only in their recipients. A digest, since a mailing has long texts. */
function contentKey({ fields, attachments }: Letter): string {
	const files = attachments.map(({ fileName, mimeType, size, origin }) => [
		fileName,
		mimeType,
		size,
		origin,
	]);
	const content = JSON.stringify([Object.entries(fields).sort(), files]);
	return createHash('sha256').update(content).digest('base64url');
}

function countOf(entries: readonly LetterEntry[]): LetterCount {
	return countLetters(
		entries.map(({ letter: { fields, recipients } }) => [fields.type, recipients.length]),
	);
}

/** The request that sends a letter: JSON without files, else multipart, with indexed recipients (SEND-09). */
function sendRequest({ fields, recipients, attachments }: Letter): ServiceRequest {
	const request = { method: 'POST', path: '/messages/bulk_send' } as const;
	if (attachments.length === 0) {
		return { ...request, body: { ...fields, recipients } as unknown as IDataObject };
	}
	const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
	const form = { ...Object.fromEntries(texts), ...formRecipients(recipients) };
	return {
		...request,
		body: new StreamedForm(form, attachments),
		timeout: transferTimeout(totalSize(attachments)),
	};
}

/** Recipients as fields of a form (interface, Send request). */
export function formRecipients(recipients: Recipient[]): Record<string, string> {
	const fields = recipients.flatMap((recipient, index) =>
		Object.entries(recipient).map(([name, value]) => [`recipients[${index}].${name}`, value]),
	);
	return Object.fromEntries(fields);
}

// One ID for two recipients is one letter.
function readIds(body: unknown): string[] | null {
	const messages = (body as IDataObject | null | undefined)?.messages;
	if (!Array.isArray(messages)) return null;
	const ids = readMessageIds(messages.map((message) => (message as IDataObject | null)?.id));
	return 'value' in ids ? ids.value : null;
}

/** Letters that this execution sent: each recipient of a row has one, and a key's second row has none. */
function lettersIn({ messages, alreadySent }: IDataObject): number {
	return alreadySent === true || !Array.isArray(messages) ? 0 : messages.length;
}

/** What became of the letters. */
function reportMailing(verdicts: Verdict[]): NodeExecutionHint {
	const outputs = verdicts.flatMap((one) => (one.state === 'sent' ? one.outputs : []));
	const already = outputs.filter(({ alreadySent }) => alreadySent === true).length;
	const letters = outputs.reduce((sum, output) => sum + lettersIn(output), 0);
	const having = (state: string) => verdicts.filter((one) => one.state === state).length;
	// How many letters a row without one had is not always known.
	const rows: Array<[count: number, became: string]> = [
		[already, 'sent already'],
		[having('not sent'), 'not sent'],
		[having('unknown'), 'of unknown outcome'],
	];
	const parts = rows.flatMap(([count, became]) =>
		count > 0 ? [`${countInWords(count, 'row')} ${became}`] : [],
	);
	return {
		message: `${[`${countInWords(letters, 'letter')} sent`, ...parts].join(', ')}.`,
		type: outputs.length === verdicts.length ? 'info' : 'warning',
		location: 'outputPane',
	};
}
