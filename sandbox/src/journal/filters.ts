import { isSameAddress } from '../http/contacts.ts';
import { isMatch, type Matcher } from '../http/request-matcher.ts';
import type { Mail, Message } from '../state/model.ts';
import type { WebhookAttempt, Half, RequestEntry } from './entries.ts';

/** Omitted filters match anything. */
type Wanted<Name extends string> = Partial<Record<Name, string | undefined>>;

interface RequestFilter extends Wanted<'status' | 'messageId' | 'text'>, Matcher {}
type AttemptFilter = Wanted<'event' | 'status' | 'messageId' | 'text'>;

export const isRequest =
	(wanted: RequestFilter) =>
	(entry: RequestEntry): boolean =>
		isMatch(wanted, entry) &&
		isStatus(wanted.status, entry.status) &&
		[wanted.text, wanted.messageId].every((text) =>
			hasText(text, () => [entry.url, ...written(entry), ...written(entry.answer)]),
		);

export const isAttempt =
	(wanted: AttemptFilter) =>
	(entry: WebhookAttempt): boolean =>
		(wanted.event === undefined || entry.events.some(({ event }) => event === wanted.event)) &&
		isStatus(wanted.status, entry.status) &&
		(wanted.messageId === undefined ||
			entry.events.some(({ messageId }) => messageId === wanted.messageId)) &&
		hasText(wanted.text, () => [
			entry.url,
			entry.error ?? '',
			...written(entry),
			...(entry.answer ? written(entry.answer) : []),
		]);

export const isMail =
	(wanted: Wanted<'to' | 'messageId'>) =>
	(mail: Mail): boolean =>
		isTo(wanted.to, mail.to) && isSame(wanted.messageId, mail.messageId);

export const isMessage =
	(wanted: Wanted<'to' | 'status'>) =>
	(message: Message): boolean =>
		isTo(wanted.to, message.contact.email) && isSame(wanted.status, message.status);

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
