import { MESSAGE_TYPES } from './event-contract.ts';
import { HttpError } from './http-error.ts';
import { DEFAULT_READING, normalise } from './normalise.ts';
import type { Reading } from './normalise.ts';

/** Deeper nesting would overflow the stack when serialised again. */
const DEEPEST = 64;

/** Most events in one request: its transaction blocks all others. */
const MOST_EVENTS = 1_000;

type Fields = Record<string, unknown>;

/** Keys under which an object may hold a list of events. */
const LISTS = ['events', 'data', 'payload', 'object', 'event'];

/**
 * The raw events in a body: one, or lists of them, nested or wrapped in an object; JSON or
 * form-encoded.
 */
export function parseBody(
	body: Buffer,
	contentType: string | undefined,
	reading: Reading = DEFAULT_READING,
): unknown[] {
	const text = decode(body);
	const isForm = contentType?.trim().toLowerCase().startsWith('application/x-www-form-urlencoded');
	const parsed = isForm ? parseForm(text) : parseJson(text);
	if (isDeeperThan(parsed, DEEPEST)) throw broken(`It is nested deeper than ${DEEPEST} levels.`);
	const events = eventsIn(parsed, reading);
	if (areTooMany(events)) throw tooManyEvents();
	return events;
}

function eventsIn(parsed: unknown, reading: Reading): unknown[] {
	if (Array.isArray(parsed)) return eventsInAll(parsed, reading);
	if (!isObject(parsed)) return [parsed];
	for (const key of LISTS) {
		const events = listIn(parsed[key], reading);
		if (events === null) continue;
		const rest = Object.fromEntries(Object.entries(parsed).filter(([name]) => name !== key));
		if (key !== 'events' && isWhole(rest, reading)) continue;
		// They will be refused, or dropped as a detail, so reading them would be in vain.
		if (areTooMany(events)) return events;
		return events.map((event) =>
			Object.keys(rest).length === 0 || isNamed(event, reading) ? event : { ...rest, [key]: event },
		);
	}
	return isEmptyList(parsed) ? [] : [parsed];
}

/** Those in a list; stops as soon as they are too many. */
function eventsInAll(entries: readonly unknown[], reading: Reading): unknown[] {
	const events: unknown[] = [];
	for (const entry of entries) {
		events.push(...eventsIn(entry, reading));
		if (areTooMany(events)) break;
	}
	return events;
}

function areTooMany({ length }: readonly unknown[]): boolean {
	return length > MOST_EVENTS;
}

/** Null if there is none. A list of something else, such as labels, belongs to one event. */
function listIn(value: unknown, reading: Reading): unknown[] | null {
	if (!isObject(value) && !Array.isArray(value)) return null;
	const events = eventsIn(value, reading);
	return events.length > 0 && events[0] !== value && events.every(isObject) ? events : null;
}

function isEmptyList(fields: Fields): boolean {
	const { events, ...rest } = fields;
	return Array.isArray(events) && events.length === 0 && Object.keys(rest).length === 0;
}

/** Whether it is an event by itself, so that the list beside it is a detail. */
function isWhole(event: Fields, reading: Reading): boolean {
	const { type, messageId } = normalise(event, {}, reading).event;
	return type !== 'unknown' && messageId !== null;
}

/** Whether it says itself what happened; otherwise what surrounds the list may say it for all. */
function isNamed(event: unknown, reading: Reading): boolean {
	const { type, sourceType } = normalise(event, {}, reading).event;
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
	return withLists(fields);
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
	const inner: Fields = isObject(present) ? present : {};
	fields[key] = inner;
	const [next = '', ...others] = rest;
	place(inner, next === '' ? [nextIndex(inner, others[0]), ...others] : rest, value);
}

/** `a[]=1` adds to a list; `a[][b]=1` adds to its last entry, until that has a `b`. */
function nextIndex(list: Fields, field: string | undefined): string {
	const count = sizeOf(list);
	const last = list[count - 1];
	const isOpen = field !== undefined && isObject(last) && !Object.hasOwn(last, field);
	return String(isOpen ? count - 1 : count);
}

/** `a[0]=1&a[1]=2` is a list: an object whose keys are all numbers. */
function withLists(value: unknown): unknown {
	if (!isObject(value)) return value;
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

function isObject(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
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
