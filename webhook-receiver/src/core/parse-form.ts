import { isRecord } from './is-record.ts';
import type { Fields } from './normalise.ts';

/** One more than a body may have: it is refused for that, and need not be taken apart any further. */
const MOST_LEVELS = 65;

/**
 * `a[b]=c` nests, `a[0]=c` and `a[]=c` make objects that `withLists` turns into lists, and a value may be a
 * JSON object or array (`payload={…}`). Without `qs`: this goes into the pack, which ships no dependencies.
 */
export function parseForm(pairs: ReadonlyArray<readonly [string, unknown]>): unknown {
	const fields: Fields = {};
	for (const [name, value] of pairs) {
		const [head = '', ...rest] = name.split('[').map((part) => part.replace(/\]$/, ''));
		const path = [head, ...rest.slice(0, MOST_LEVELS)];
		place(fields, path, typeof value === 'string' ? jsonOrText(value) : value);
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
export function withLists(value: unknown): unknown {
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
