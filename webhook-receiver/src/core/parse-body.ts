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

/** How many objects within each other a list is looked for in: fields are not looked for any deeper. */
const DEEPEST_LIST = 3;

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
 * The events in a body: one, or a list of them, also one that objects surround; JSON or a form, URL-encoded
 * or multipart.
 */
export function parseBody(
	body: Buffer,
	contentType: string | undefined,
	mapping: Mapping = DEFAULT_MAPPING,
): RawEvent[] {
	const parsed = parse(body, contentType);
	const plain = { list: Array.isArray(parsed) ? parsed : [parsed], around: [] };
	const { list, around } = listIn(parsed, mapping) ?? plain;
	if (list.length > MOST_EVENTS) throw tooManyEvents();
	return surrounded(list, around, mapping);
}

/** An object without the list in it, and the key of what holds that. */
interface Around {
	key: string;
	fields: Fields;
}

/** A list of events, and the objects around it that say more, outermost first. */
interface Found {
	list: unknown[];
	around: Around[];
}

/** Null if there is none. A list of something else, such as labels, belongs to one event. */
function listIn(value: unknown, mapping: Mapping, depth = DEEPEST_LIST): Found | null {
	if (Array.isArray(value)) return value.every(isRecord) ? { list: value, around: [] } : null;
	if (!isRecord(value) || depth === 0) return null;
	for (const key of LIST_KEYS) {
		const found = listIn(value[key], mapping, depth - 1);
		if (found === null) continue;
		const fields = Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
		const isBare = Object.keys(fields).length === 0;
		// An empty one is no event where it is all there is.
		if (found.list.length === 0 && !(isBare && key === 'events')) continue;
		if (isBare) return found;
		if (key === 'events' || !isWhole(fields, mapping)) {
			return { list: found.list, around: [{ key, fields }, ...found.around] };
		}
	}
	return null;
}

/** Events that don't say themselves what happened get what surrounds their list. */
function surrounded(list: readonly unknown[], around: Around[], mapping: Mapping): RawEvent[] {
	const short = around.map(({ key, fields }) => ({ key, fields: shortOf(fields) }));
	const [whole, rest] = [JSON.stringify(around), JSON.stringify(short)];
	const leftOut = whole === rest ? '' : sha256Hex(whole);
	let kept = around;
	return list.map((own) => {
		if (around.length === 0 || isNamed(own, mapping)) {
			return { raw: own, own, around: [], leftOut: '' };
		}
		const raw = kept.reduceRight((inner, { key, fields }) => ({ ...fields, [key]: inner }), own);
		kept = short;
		return { raw, own, around: around.map(({ fields }) => fields), leftOut };
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

/** Whether it is an event by itself, so that the list beside it is a detail. */
function isWhole(event: Fields, mapping: Mapping): boolean {
	const { type, messageId } = normalise(event, {}, mapping).event;
	return type !== 'unknown' && messageId !== null;
}

/** Whether it says itself what happened; otherwise what surrounds the list may say it for all. */
function isNamed(own: unknown, mapping: Mapping): boolean {
	const { type, sourceType } = normalise(own, {}, mapping).event;
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
