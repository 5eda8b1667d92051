import { MESSAGE_TYPES } from './event-contract.ts';
import { sha256Hex } from './fingerprint.ts';
import { HttpError } from './http-error.ts';
import { isRecord } from './is-record.ts';
import { DEFAULT_MAPPING, normalise } from './normalise.ts';
import type { Fields, Mapping } from './normalise.ts';
import { parseForm, withLists } from './parse-form.ts';
import { readMultipart } from './read-multipart.ts';

/** Deeper nesting would overflow the stack when serialised again. */
const DEEPEST = 64;

/** Most events in one request: its transaction blocks all others. */
const MOST_EVENTS = 1_000;

/** How many lists within each other are taken apart: fields are not looked for any deeper. */
const MOST_LISTS = 3;

/**
 * Characters of what surrounds a list that each of its events keeps. A thousand events would
 * otherwise make a gigabyte of a megabyte around them.
 */
const MOST_AROUND = 1_000;

/** Keys under which an object may hold a list of events. */
const LIST_KEYS = ['events', 'data', 'payload', 'object', 'event'];

/** An event of a body: what is kept of it, and what says what happened. */
export interface RawEvent {
	/**
	 * As received. If it does not say itself what happened it stands in what surrounds its list, in the
	 * way it came; but only the first of them has all of that, the others only what is short.
	 */
	raw: unknown;
	/** Without anything around it. */
	own: unknown;
	/** All that surrounds it, outermost first. */
	around: readonly Fields[];
	/** Digest of what only the first event keeps; empty if that is nothing. */
	leftOut: string;
}

/**
 * The events in a body: one, or lists of them, nested or wrapped in an object; JSON or a form, URL-encoded
 * or multipart.
 */
export function parseBody(
	body: Buffer,
	contentType: string | undefined,
	mapping: Mapping = DEFAULT_MAPPING,
): RawEvent[] {
	const events = eventsIn(parse(body, contentType), mapping, MOST_LISTS);
	if (areTooMany(events)) throw tooManyEvents();
	return events;
}

/** @param lists how many lists that something surrounds may still be taken apart */
function eventsIn(parsed: unknown, mapping: Mapping, lists: number): RawEvent[] {
	if (Array.isArray(parsed)) return eventsInAll(parsed, mapping, lists);
	if (!isRecord(parsed)) return [alone(parsed)];
	const isSurrounded = Object.keys(parsed).length > 1;
	for (const key of isSurrounded && lists === 0 ? [] : LIST_KEYS) {
		const events = listIn(parsed[key], mapping, isSurrounded ? lists - 1 : lists);
		if (events === null) continue;
		if (!isSurrounded) return events;
		const around = Object.fromEntries(Object.entries(parsed).filter(([name]) => name !== key));
		if (key !== 'events' && isWhole(around, mapping)) continue;
		// They will be refused, or dropped as a detail, so reading them would be in vain.
		return areTooMany(events) ? events : surrounded(events, key, around, mapping);
	}
	return isEmptyList(parsed) ? [] : [alone(parsed)];
}

/** Those in a list; stops as soon as they are too many. */
function eventsInAll(entries: readonly unknown[], mapping: Mapping, lists: number): RawEvent[] {
	const events: RawEvent[] = [];
	for (const entry of entries) {
		events.push(...eventsIn(entry, mapping, lists));
		if (areTooMany(events)) break;
	}
	return events;
}

/** Events that don't say themselves what happened, with what surrounds their list. */
function surrounded(
	events: readonly RawEvent[],
	key: string,
	around: Fields,
	mapping: Mapping,
): RawEvent[] {
	const short = shortOf(around);
	const isCut = Object.keys(short).length < Object.keys(around).length;
	const digest = isCut ? sha256Hex(JSON.stringify(around)) : '';
	let kept = around;
	return events.map((event) => {
		if (isNamed(event, mapping)) return event;
		const raw = { ...kept, [key]: event.raw };
		kept = short;
		return {
			raw,
			own: event.own,
			around: [around, ...event.around],
			leftOut: `${digest}${event.leftOut}`,
		};
	});
}

/** Its shortest members, as many as each event may keep, in their order. */
function shortOf(around: Fields): Fields {
	const members = Object.entries(around).map((member) => {
		return { member, size: JSON.stringify(member).length };
	});
	let room = MOST_AROUND;
	const short = members.toSorted((left, right) => left.size - right.size);
	const fitting = new Set(short.filter(({ size }) => (room -= size) >= 0));
	const kept = members.filter((one) => fitting.has(one));
	return Object.fromEntries(kept.map(({ member }) => member));
}

function alone(event: unknown): RawEvent {
	return { raw: event, own: event, around: [], leftOut: '' };
}

function areTooMany({ length }: readonly unknown[]): boolean {
	return length > MOST_EVENTS;
}

/** Null if there is none. A list of something else, such as labels, belongs to one event. */
function listIn(value: unknown, mapping: Mapping, lists: number): RawEvent[] | null {
	if (!isRecord(value) && !Array.isArray(value)) return null;
	const events = eventsIn(value, mapping, lists);
	const isList = events.length > 0 && events[0]?.raw !== value;
	return isList && events.every(({ own }) => isRecord(own)) ? events : null;
}

function isEmptyList(fields: Fields): boolean {
	const { events, ...rest } = fields;
	return Array.isArray(events) && events.length === 0 && Object.keys(rest).length === 0;
}

/** Whether it is an event by itself, so that the list beside it is a detail. */
function isWhole(event: Fields, mapping: Mapping): boolean {
	const { type, messageId } = normalise(event, {}, mapping).event;
	return type !== 'unknown' && messageId !== null;
}

/** Whether it says itself what happened; otherwise what surrounds the list may say it for all. */
function isNamed(event: RawEvent, mapping: Mapping): boolean {
	const { type, sourceType } = normalise(event.own, {}, mapping, event.around).event;
	if (type !== 'unknown') return true;
	return sourceType !== null && !MESSAGE_TYPES.some((name) => name === sourceType.toUpperCase());
}

/** A name and an equals sign, as forms begin. */
const FORM = /^[\w.%+[\]-]+=/;

/**
 * What a body is, it says itself: senders put forms under `application/json`, and JSON under the type of
 * forms. The type only settles what could be either.
 */
function parse(body: Buffer, contentType = ''): unknown {
	const parts = readMultipart(body);
	if (parts !== null) return formOf(parts);
	const text = decode(body);
	const isForm = /^\s*application\/x-www-form-urlencoded/i.test(contentType);
	const json = isForm && !/^\s*[[{]/.test(text) ? undefined : parseJson(text);
	if (json !== undefined) return shallow(json);
	if (isForm || FORM.test(text)) return formOf([...new URLSearchParams(text)]);
	throw broken(whatInstead(body, text));
}

function formOf(pairs: Parameters<typeof parseForm>[0]): unknown {
	if (pairs.length === 0) throw broken('It is empty.');
	return withLists(shallow(parseForm(pairs)));
}

function decode(body: Buffer): string {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(body);
	} catch {
		throw broken(whatInstead(body, ''));
	}
}

/** What is neither JSON nor a form, as far as that can be seen: the sender may be set up to send another. */
function whatInstead(body: Buffer, text: string): string {
	if (body.length === 0) return 'It is empty.';
	if (body[0] === 0x1f && body[1] === 0x8b) return 'It is compressed (gzip): send it as it is.';
	// Its mark, or one of the zeros that it has beside each ASCII character.
	if (/^(fffe|feff|00|..00)/.test(body.toString('hex', 0, 2))) return 'It is UTF-16: send UTF-8.';
	if (text === '') return 'It is not UTF-8 text.';
	const [first = '', ...others] = text.trim().split('\n');
	const isLines = others.length > 0 && isRecord(parseJson(first));
	return isLines ? 'It is a JSON text a line (NDJSON): send an array.' : 'It is not JSON.';
}

/** Undefined if it is none. */
function parseJson(text: string): unknown {
	try {
		// Only where needed: a reviver makes parsing slow.
		return /\d{16}/.test(text) ? JSON.parse(text, withAllDigits) : JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Integers that a number can't hold stay as text: an id must keep its digits. */
function withAllDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
	if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
	const { source = '' } = context ?? {};
	return /^-?\d+$/.test(source) ? source : value;
}

/** @throws HttpError if it is nested too deep */
function shallow(value: unknown): unknown {
	let layer = [value];
	for (let depth = 0; layer.length > 0; depth++) {
		if (depth > DEEPEST) throw broken(`It is nested deeper than ${DEEPEST} levels.`);
		layer = layer.flatMap((entry) =>
			typeof entry === 'object' && entry !== null ? Object.values(entry) : [],
		);
	}
	return value;
}

function tooManyEvents(): HttpError {
	const message = `The request has more than ${MOST_EVENTS} events, the most that are taken at once.`;
	return new HttpError(413, 'too-many-events', message);
}

function broken(reason: string): HttpError {
	return new HttpError(400, 'broken-body', `The body can't be read. ${reason}`);
}
