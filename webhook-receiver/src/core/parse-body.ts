import { MESSAGE_TYPES } from './event-contract.ts';
import { sha256Hex } from './fingerprint.ts';
import { HttpError } from './http-error.ts';
import { isRecord } from './is-record.ts';
import { DEFAULT_MAPPING, normalise } from './normalise.ts';
import type { Fields, Mapping } from './normalise.ts';

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
 * The events in a body: one, or lists of them, nested or wrapped in an object; JSON or form-encoded.
 */
export function parseBody(
	body: Buffer,
	contentType: string | undefined,
	mapping: Mapping = DEFAULT_MAPPING,
): RawEvent[] {
	const text = decode(body);
	const isForm = contentType?.trim().toLowerCase().startsWith('application/x-www-form-urlencoded');
	const parsed = isForm ? parseForm(text) : parseJson(text);
	if (isDeeperThan(parsed, DEEPEST)) throw broken(`It is nested deeper than ${DEEPEST} levels.`);
	const events = eventsIn(isForm ? withLists(parsed) : parsed, mapping, MOST_LISTS);
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

function decode(body: Buffer): string {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(body);
	} catch {
		throw broken('It is not UTF-8 text.');
	}
}

function parseJson(text: string): unknown {
	try {
		// Only where needed: a reviver makes parsing slow.
		return /\d{16}/.test(text) ? JSON.parse(text, withAllDigits) : JSON.parse(text);
	} catch {
		throw broken('It is not JSON.');
	}
}

/** Integers that a number can't hold stay as text: an id must keep its digits. */
function withAllDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
	if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
	const { source = '' } = context ?? {};
	return /^-?\d+$/.test(source) ? source : value;
}

/**
 * `a[b]=c` nests, `a[0]=c` and `a[]=c` make lists, and a value may be a JSON object or array (`payload={…}`). Without `qs`: this
 * goes into the pack, which ships no dependencies.
 */
function parseForm(text: string): unknown {
	const pairs = [...new URLSearchParams(text)];
	if (pairs.length === 0) throw broken('It is empty.');
	const fields: Fields = {};
	for (const [name, value] of pairs) {
		const [head = '', ...rest] = name.split('[').map((part) => part.replace(/\]$/, ''));
		const path = [head, ...rest.slice(0, DEEPEST + 1)];
		place(fields, path, jsonOrText(value));
	}
	return fields;
}

/**
 * How many fields an object of a form has. Counting its keys for each pair that adds to a list would
 * take time by the square of the list.
 */
const sizes = new WeakMap<Fields, number>();

function sizeOf(fields: Fields): number {
	return sizes.get(fields) ?? Object.keys(fields).length;
}

function place(fields: Fields, [key = '', ...rest]: string[], value: unknown): void {
	if (key === '__proto__') return;
	sizes.set(fields, sizeOf(fields) + (Object.hasOwn(fields, key) ? 0 : 1));
	if (rest.length === 0) {
		fields[key] = value;
		return;
	}
	const present = Object.hasOwn(fields, key) ? fields[key] : undefined;
	const inner: Fields = isRecord(present) ? present : {};
	fields[key] = inner;
	const [next = '', ...others] = rest;
	place(inner, next === '' ? [nextIndex(inner, others[0]), ...others] : rest, value);
}

/** `a[]=1` adds to a list; `a[][b]=1` adds to its last entry, until that has a `b`. */
function nextIndex(list: Fields, field: string | undefined): string {
	const count = sizeOf(list);
	const last = list[count - 1];
	const isOpen = field !== undefined && isRecord(last) && !Object.hasOwn(last, field);
	return String(isOpen ? count - 1 : count);
}

/** `a[0]=1&a[1]=2` is a list: an object whose keys are all numbers. */
function withLists(value: unknown): unknown {
	if (!isRecord(value)) return value;
	const entries = Object.entries(value).map(([key, inner]) => [key, withLists(inner)] as const);
	const isList = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key));
	// In ascending order, as objects keep such keys.
	return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

function jsonOrText(value: string): unknown {
	if (!/^\s*[[{]/.test(value)) return value;
	try {
		return JSON.parse(value);
	} catch {
		return value;
	}
}

function isDeeperThan(value: unknown, levels: number): boolean {
	let layer = [value];
	for (let depth = 0; layer.length > 0; depth++) {
		if (depth > levels) return true;
		layer = layer.flatMap((entry) =>
			typeof entry === 'object' && entry !== null ? Object.values(entry) : [],
		);
	}
	return false;
}

function tooManyEvents(): HttpError {
	const message = `The request has more than ${MOST_EVENTS} events, the most that are taken at once.`;
	return new HttpError(413, 'too-many-events', message);
}

function broken(reason: string): HttpError {
	return new HttpError(400, 'broken-body', `The body can't be read. ${reason}`);
}
