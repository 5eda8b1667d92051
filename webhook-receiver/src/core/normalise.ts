import { MESSAGE_TYPES } from './event-contract.ts';
import type { DeliveryEvent, MessageType } from './event-contract.ts';
import { UNKNOWN_KIND, eventKind } from './event-kinds.ts';
import { isRecord } from './is-record.ts';
import { readTime } from './read-time.ts';

/** What a payload says; the receiver adds the event's id, sequence and time. */
export interface Normalised {
	event: Omit<DeliveryEvent, 'id' | 'sequence' | 'receivedAt'>;
	/** The service's own event id, if it gives one. */
	providerEventId: string | null;
}

/** Lower-case header names to values. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Where to find each field: dotted paths, tried in order in the event and in what each wrapper leads to. */
export interface Mapping {
	wrappers: readonly string[];
	event: readonly string[];
	eventHeaders: readonly string[];
	eventId: readonly string[];
	eventIdHeaders: readonly string[];
	/** Headers of either kind that the operator named: they count although they are not signed. */
	namedHeaders: readonly string[];
	messageId: readonly string[];
	messageType: readonly string[];
	time: readonly string[];
	fileReference: readonly string[];
	customerReference: readonly string[];
	/** Other event names mapped to ours, such as `mail.read` to `aes_opened`. */
	names: Readonly<Record<string, string>>;
}

/** The payload's shape is undocumented (rule EVNT-03), so it is read leniently. */
export const DEFAULT_MAPPING: Mapping = {
	wrappers: ['data', 'payload', 'object', 'event'],
	event: ['event', 'type', 'eventType', 'event_type', 'name', 'kind'],
	eventHeaders: ['x-event', 'x-webhook-event'],
	eventId: ['eventId', 'event_id', 'event.id'],
	eventIdHeaders: ['webhook-id', 'x-event-id'],
	namedHeaders: [],
	messageId: ['messageId', 'message_id', 'message.id', 'message.friendlyId', 'friendlyId'],
	messageType: ['messageType', 'message_type', 'message.type', 'type'],
	time: ['timestamp', 'occurredAt', 'occurred_at', 'createdAt', 'created_at', 'date'],
	fileReference: ['fileReference', 'file_reference', 'message.fileReference'],
	customerReference: ['customerReference', 'customer_reference', 'message.customerReference'],
	names: {},
};

type Reader<T> = (value: unknown) => T | null;

/** Longer text is content, and neither a name nor an id nor a reference. */
const LONGEST_TEXT = 500;

/** Finds event, message and time in one raw event. Never fails: the worst case is `unknown`. */
export function normalise(
	raw: unknown,
	headers: Headers = {},
	mapping = DEFAULT_MAPPING,
): Normalised {
	const places = [raw, ...mapping.wrappers.map((path) => valueAt(raw, path))].filter(isRecord);
	const all = <T>(paths: readonly string[], read: Reader<T>) =>
		places.flatMap((place) => paths.map((path) => read(valueAt(place, path)))).filter(isFound);
	const inHeaders = <T>(names: readonly string[], read: Reader<T>) =>
		names.map((name) => read(headers[name])).filter(isFound);
	const first = <T>(...found: T[][]) => found.flat()[0] ?? null;

	const [statedType = null] = all(mapping.messageType, readMessageType);
	const names = [...all(mapping.event, readName), ...inHeaders(mapping.eventHeaders, readText)];
	const name = chooseName(names, statedType, mapping);
	// Named paths may have lost leading zeros; a bare `id` is a message's only with all 12 digits.
	const messageId = first(all(mapping.messageId, readMessageId), all(['id'], readWholeMessageId));
	// The outermost `id`, unless it is the message's number.
	const own = readId(places[0]?.id);
	const ownId = messageId !== null && readMessageId(own) === messageId ? null : own;
	const event = {
		...((name !== null && kindOf(name, statedType, mapping)) || UNKNOWN_KIND),
		sourceType: name,
		messageId,
		messageType: (name && typeInName(ourName(name, mapping))) || statedType,
		occurredAt: first(all(mapping.time, readTime)),
		fileReference: first(all(mapping.fileReference, readText)),
		customerReference: first(all(mapping.customerReference, readText)),
		raw,
	};
	const providerEventId =
		first(all(mapping.eventId, readId)) ??
		ownId ??
		first(inHeaders(mapping.eventIdHeaders, readId));
	return { event, providerEventId };
}

/** The first known event name; failing that, the first that is not a message type. */
function chooseName(names: string[], messageType: string | null, mapping: Mapping): string | null {
	return (
		names.find((name) => kindOf(name, null, mapping)) ??
		names.find((name) => kindOf(name, messageType, mapping)) ??
		names.find((name) => readMessageType(name) === null) ??
		names[0] ??
		null
	);
}

function kindOf(name: string, messageType: string | null, mapping: Mapping) {
	return eventKind(ourName(name, mapping), messageType);
}

function ourName(name: string, { names }: Mapping): string {
	return Object.hasOwn(names, name) ? (names[name] ?? name) : name;
}

function valueAt(place: unknown, path: string): unknown {
	return path.split('.').reduce((value, key) => {
		return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
	}, place);
}

function isFound<T>(value: T | null): value is T {
	return value !== null;
}

function readText(value: unknown): string | null {
	const text = typeof value === 'string' && value.length <= LONGEST_TEXT ? value.trim() : '';
	return text === '' ? null : text;
}

/** A plain name, or the one in `{name}` or `{type}`. */
function readName(value: unknown): string | null {
	return isRecord(value) ? (readText(value.name) ?? readText(value.type)) : readText(value);
}

function readId(value: unknown): string | null {
	return typeof value === 'number' ? String(value) : readText(value);
}

function readMessageId(value: unknown): string | null {
	const digits = readId(value);
	return digits !== null && /^\d{1,12}$/.test(digits) ? digits.padStart(12, '0') : null;
}

function readWholeMessageId(value: unknown): string | null {
	return readId(value)?.length === 12 ? readMessageId(value) : null;
}

function readMessageType(value: unknown): MessageType | null {
	const text = readText(value)?.toUpperCase();
	return MESSAGE_TYPES.find((type) => type === text) ?? null;
}

/** `aes_sent` refers to an AES message, `ls-anything` to an LS one. */
function typeInName(name: string): MessageType | null {
	const separated = readMessageType(/^([a-z]+)[\s._-]/i.exec(name)?.[1]);
	return separated ?? (eventKind(name) && readMessageType(/aes|mt|lre/i.exec(name)?.[0]));
}
