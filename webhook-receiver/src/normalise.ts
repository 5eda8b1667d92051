import { MESSAGE_TYPES } from './contract.ts';
import type { DeliveryEvent } from './contract.ts';
import { UNKNOWN_KIND, eventKind } from './event-kinds.ts';
import { readTime } from './read-time.ts';

/** What a payload says; the receiver adds the event's id, sequence and time. */
export interface Normalised {
	event: Omit<DeliveryEvent, 'id' | 'sequence' | 'receivedAt'>;
	/** The service's own id of the event, where it gives one. */
	providerEventId: string | null;
}

/** Lower-case header names to values. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Where to look for what: dotted paths, tried in this order in the body and in each wrapper. */
export interface Reading {
	wrappers: readonly string[];
	event: readonly string[];
	eventHeaders: readonly string[];
	eventId: readonly string[];
	eventIdHeaders: readonly string[];
	messageId: readonly string[];
	messageType: readonly string[];
	time: readonly string[];
	fileReference: readonly string[];
	customerReference: readonly string[];
	/** Other names of events: theirs to ours, such as `mail.read` to `aes_opened`. */
	names: Readonly<Record<string, string>>;
}

/** The payload's shape is not shown (rule EVNT-03), so it is read generously (design § 6). */
export const DEFAULT_READING: Reading = {
	wrappers: ['data', 'payload', 'object', 'event'],
	event: ['event', 'type', 'eventType', 'event_type', 'name', 'kind'],
	eventHeaders: ['x-event', 'x-webhook-event'],
	eventId: ['eventId', 'event_id', 'event.id'],
	eventIdHeaders: ['webhook-id', 'x-event-id'],
	messageId: ['messageId', 'message_id', 'message.id', 'message.friendlyId', 'friendlyId'],
	messageType: ['messageType', 'message_type', 'message.type', 'type'],
	time: ['timestamp', 'occurredAt', 'occurred_at', 'createdAt', 'created_at', 'date'],
	fileReference: ['fileReference', 'file_reference', 'message.fileReference'],
	customerReference: ['customerReference', 'customer_reference', 'message.customerReference'],
	names: {},
};

type Fields = Record<string, unknown>;

/** Finds event, message and time in one raw event. Never fails: the worst case is `unknown`. */
export function normalise(
	raw: unknown,
	headers: Headers = {},
	reading = DEFAULT_READING,
): Normalised {
	const places = containers(raw, reading.wrappers);
	const text = (paths: readonly string[]) => first(values(places, paths).map(readText));
	const statedType = first(values(places, reading.messageType).map(readMessageType));
	const name = readName(places, headers, reading, statedType);
	const kind = (name !== null && kindOf(name, statedType, reading)) || UNKNOWN_KIND;
	const messageId = readMessageId(places, reading);
	const event = {
		...kind,
		sourceType: name,
		messageId,
		messageType: typeInName(name && ourName(name, reading)) ?? statedType,
		occurredAt: first(values(places, reading.time).map(readTime)),
		fileReference: text(reading.fileReference),
		customerReference: text(reading.customerReference),
		raw,
	};
	return { event, providerEventId: readEventId(raw, places, headers, reading, messageId) };
}

/** The first candidate that is a known event; failing that, the first that is not a message type. */
function readName(
	places: Fields[],
	headers: Headers,
	reading: Reading,
	messageType: string | null,
): string | null {
	const inBody = values(places, reading.event).map((value) =>
		isFields(value) ? (readText(value.name) ?? readText(value.type)) : readText(value),
	);
	const inHeaders = reading.eventHeaders.map((header) => readText(headers[header]));
	const names = [...inBody, ...inHeaders].filter((name) => name !== null);
	const known =
		names.find((name) => kindOf(name, null, reading)) ??
		names.find((name) => kindOf(name, messageType, reading));
	return known ?? names.find((name) => readMessageType(name) === null) ?? names[0] ?? null;
}

function kindOf(name: string, messageType: string | null, reading: Reading) {
	return eventKind(ourName(name, reading), messageType);
}

function ourName(name: string, { names }: Reading): string {
	return Object.hasOwn(names, name) ? (names[name] ?? name) : name;
}

/** Named paths may have lost leading zeros; a bare `id` is a message's only with all 12 digits. */
function readMessageId(places: Fields[], reading: Reading): string | null {
	const named = values(places, reading.messageId).map(padded);
	const bare = values(places, ['id']).filter((id) => /^\d{12}$/.test(String(id)));
	return first([...named, ...bare.map(padded)]);
}

function readEventId(
	raw: unknown,
	places: Fields[],
	headers: Headers,
	reading: Reading,
	messageId: string | null,
): string | null {
	const named = values(places, reading.eventId).map(readId);
	const bare = isFields(raw) && padded(raw.id) !== (messageId ?? '') ? readId(raw.id) : null;
	const inHeaders = reading.eventIdHeaders.map((header) => readId(headers[header]));
	return first([...named, bare, ...inHeaders]);
}

/** The raw event and whatever wraps fields in it, outermost first, three levels deep. */
function containers(raw: unknown, wrappers: readonly string[], depth = 3): Fields[] {
	if (!isFields(raw)) return [];
	if (depth === 0) return [raw];
	const inner = wrappers.map((wrapper) => valueAt(raw, wrapper));
	return [raw, ...inner.flatMap((value) => containers(value, wrappers, depth - 1))];
}

function values(places: Fields[], paths: readonly string[]): unknown[] {
	return places.flatMap((place) => paths.map((path) => valueAt(place, path)));
}

function valueAt(place: Fields, path: string): unknown {
	return path.split('.').reduce<unknown>((value, key) => {
		return isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined;
	}, place);
}

function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function first<T>(candidates: Array<T | null>): T | null {
	return candidates.find((candidate) => candidate !== null) ?? null;
}

function readText(value: unknown): string | null {
	return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function readId(value: unknown): string | null {
	return typeof value === 'number' ? String(value) : readText(value);
}

function padded(value: unknown): string | null {
	const digits = readId(value);
	return digits !== null && /^\d{1,12}$/.test(digits) ? digits.padStart(12, '0') : null;
}

type MessageType = (typeof MESSAGE_TYPES)[number];

function readMessageType(value: unknown): MessageType | null {
	const text = readText(value)?.toUpperCase();
	return MESSAGE_TYPES.find((type) => type === text) ?? null;
}

/** `aes_sent` speaks of an AES message, `ls-anything` of an LS one. */
function typeInName(name: string | null): MessageType | null {
	if (name === null) return null;
	const separated = readMessageType(/^([a-z]+)[\s._-]/i.exec(name)?.[1]);
	const joined = eventKind(name) && /(aes|mt|lre)/i.exec(name)?.[1];
	return separated ?? readMessageType(joined);
}
