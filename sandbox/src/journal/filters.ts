import { isSameAddress } from '../http/contacts.ts';
import { formToObject } from '../http/form-fields.ts';
import { isMatch } from '../http/request-matcher.ts';
import type { Mail, Message } from '../state/model.ts';
import type { WebhookAttempt } from './attempt.ts';
import type { Half, RequestEntry } from './request-entry.ts';

/** Omitted filters match anything. */
type Wanted<Name extends string> = Partial<Record<Name, string | undefined>>;

export type RequestFilter = Wanted<
	'path' | 'method' | 'status' | 'account' | 'recipient' | 'body' | 'since' | 'messageId' | 'text'
>;
export type AttemptFilter = Wanted<'url' | 'event' | 'status' | 'since' | 'messageId' | 'text'>;
export type MailFilter = Wanted<'to' | 'since' | 'messageId' | 'text'>;
export type MessageFilter = Wanted<'to' | 'type' | 'status' | 'since' | 'text'>;

/** @param addressOf of a message's recipient, for the filter `recipient` */
export const isRequest =
	(wanted: RequestFilter, addressOf: (messageId: string) => string | undefined = () => undefined) =>
	(entry: RequestEntry): boolean =>
		isMatch(matcherOf(wanted), {
			...entry,
			addresses:
				wanted.recipient === undefined ? [] : entry.messageIds.flatMap((id) => addressOf(id) ?? []),
			body: (wanted.recipient ?? wanted.body) ? bodyOf(entry) : undefined,
		}) &&
		isStatus(wanted.status, entry.status) &&
		isSince(wanted.since, Date.parse(entry.at)) &&
		(wanted.messageId === undefined || entry.messageIds.includes(wanted.messageId)) &&
		hasText(wanted.text, () => [entry.url, ...written(entry), ...written(entry.answer)]);

function matcherOf({ method, path, account, recipient, body }: RequestFilter) {
	const [name = '', ...value] = body?.split('=') ?? [];
	return {
		method: method?.toUpperCase(),
		path,
		account,
		recipient,
		body: body === undefined ? undefined : { [name]: value.join('=') },
	};
}

/** What was sent, as far as it is kept: a form as the JSON it stands for. */
function bodyOf({ body }: RequestEntry): unknown {
	try {
		if (body?.text) return JSON.parse(body.text);
		const fields = (body?.fields ?? []).map(({ name, value }) => [name, value] as [string, string]);
		return formToObject(fields, { jsonFields: ['recipients', 'customers'] });
	} catch {
		// Cut off, or no JSON.
		return undefined;
	}
}

export const isAttempt =
	(wanted: AttemptFilter) =>
	(entry: WebhookAttempt): boolean =>
		isSame(wanted.url, entry.url) &&
		(wanted.event === undefined || entry.events.some(({ event }) => event === wanted.event)) &&
		isStatus(wanted.status, entry.status) &&
		isSince(wanted.since, Date.parse(entry.at)) &&
		(wanted.messageId === undefined ||
			entry.events.some(({ messageId }) => messageId === wanted.messageId)) &&
		hasText(wanted.text, () => [
			entry.url,
			entry.error ?? '',
			...written(entry),
			...(entry.answer ? written(entry.answer) : []),
		]);

export const isMail =
	(wanted: MailFilter) =>
	(mail: Mail): boolean =>
		isTo(wanted.to, mail.to) &&
		isSince(wanted.since, mail.at) &&
		isSame(wanted.messageId, mail.messageId) &&
		hasText(wanted.text, () => [mail.to, mail.subject, mail.html]);

export const isMessage =
	(wanted: MessageFilter) =>
	(message: Message): boolean =>
		isTo(wanted.to, message.contact.email) &&
		isSame(wanted.type, message.type) &&
		isSame(wanted.status, message.status) &&
		isSince(wanted.since, message.createdAt) &&
		hasText(wanted.text, () => messageTexts(message));

/** The text a search covers. */
export const messageTexts = (message: Message): string[] => [
	message.id,
	...Object.values(message.contact).map((value) => value ?? ''),
	message.fileReference ?? '',
	message.customerReference ?? '',
	message.body,
];

/** Whether one of these contains a text, ignoring case and the form of an accent. */
export function hasText(text: string | undefined, places: () => string[]): boolean {
	if (text === undefined || text === '') return true;
	const wanted = folded(text);
	return places().some((place) => folded(place).includes(wanted));
}

const folded = (text: string): string => text.toLowerCase().normalize('NFC');

const isSame = (wanted: string | undefined, given: string | null): boolean =>
	wanted === undefined || wanted === given;

const isTo = (wanted: string | undefined, email: string): boolean =>
	wanted === undefined || isSameAddress(wanted, email);

const isSince = (since: string | undefined, at: number): boolean =>
	since === undefined || at >= Date.parse(since);

/** `404`, `4xx`, or `none` where there was no answer. */
function isStatus(wanted: string | undefined, status: number | null): boolean {
	if (wanted === undefined) return true;
	if (status === null) return wanted === 'none';
	const given = String(status);
	return wanted === given || wanted.toLowerCase() === `${given[0]}xx`;
}

const written = ({ headers, body }: Half): string[] => [
	...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
	body?.text ?? '',
	...(body?.fields.map(({ name, value }) => `${name}=${value}`) ?? []),
	...(body?.files.map(({ name }) => name ?? '') ?? []),
];
