import { HttpError } from './http-error.ts';

/** Deeper nesting would overflow the stack when serialised again. */
const DEEPEST = 64;

type Fields = Record<string, unknown>;

/**
 * The raw events in a body: one, an array, or `{events: […]}`; JSON or form-encoded (design § 6).
 */
export function parseBody(body: Buffer, contentType: string | undefined): unknown[] {
	const text = decode(body);
	const isForm = contentType?.trim().toLowerCase().startsWith('application/x-www-form-urlencoded');
	const parsed = isForm ? parseForm(text) : parseJson(text);
	if (isDeeperThan(parsed, DEEPEST)) throw broken(`It is nested deeper than ${DEEPEST} levels.`);
	if (Array.isArray(parsed)) return parsed;
	const events = isObject(parsed) ? parsed.events : undefined;
	return Array.isArray(events) ? events : [parsed];
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
		// Only then, since a reviver makes parsing slow.
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
 * `a[b]=c` nests, and a value may be a JSON object or array (`payload={…}`). Without `qs`: this
 * goes into the pack, which ships no dependencies.
 */
function parseForm(text: string): Fields {
	const pairs = [...new URLSearchParams(text)];
	if (pairs.length === 0) throw broken('It is empty.');
	const fields: Fields = {};
	for (const [name, value] of pairs) {
		const [head = '', ...rest] = name.split('[').map((part) => part.replace(/\]$/, ''));
		place(fields, [head, ...rest], jsonOrText(value));
	}
	return fields;
}

function place(fields: Fields, [key = '', ...rest]: string[], value: unknown): void {
	if (key === '__proto__') return;
	if (rest.length === 0) {
		fields[key] = value;
		return;
	}
	const present = Object.hasOwn(fields, key) ? fields[key] : undefined;
	const inner: Fields = isObject(present) ? present : {};
	fields[key] = inner;
	place(inner, rest.slice(0, DEEPEST), value);
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

function broken(reason: string): HttpError {
	return new HttpError(400, 'broken-body', `The body can't be read. ${reason}`);
}
