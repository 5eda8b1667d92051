import { isRecord } from './is-record.ts';

/** A name and an equals sign, as forms begin. */
const URL_ENCODED = /^[\w.%+[\]-]+=/;

/** One more than a body may have: it is refused for that, and need not be taken apart any further. */
const MOST_LEVELS = 66;

/**
 * What a form holds, URL-encoded or multipart (RFC 7578); undefined if it is none, which shows in how it begins.
 * `a[b]=c` nests; `a[0]=c` and `a[]=c` are entries of a list. Without libraries: this goes into the pack, which
 * ships no dependencies.
 */
export function parseForm(body: Buffer, text: string): unknown {
	const pairs = multipartIn(body) ?? (URL_ENCODED.test(text) ? new URLSearchParams(text) : null);
	if (pairs === null) return undefined;
	const fields: Fields = {};
	for (const [name, value] of pairs) {
		const path = name.split('[', MOST_LEVELS).map((part) => part.replace(/\]$/, ''));
		place(fields, path, value);
	}
	return withLists(fields);
}

type Fields = Record<string, unknown>;

function place(fields: Fields, [key = '', ...rest]: string[], value: string): void {
	if (key === '__proto__') return;
	const [next, ...others] = rest;
	if (next === undefined) fields[key] = value;
	else if (next === '') {
		const list: unknown[] = Array.isArray(fields[key]) ? fields[key] : [];
		const entry: Fields = {};
		place(entry, ['entry', ...others], value);
		list.push(entry.entry);
		fields[key] = list;
	} else {
		const inner: Fields = isRecord(fields[key]) ? fields[key] : {};
		fields[key] = inner;
		place(inner, rest, value);
	}
}

/** An object whose keys are all numbers is a list. */
function withLists(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withLists);
	if (!isRecord(value)) return value;
	const entries = Object.entries(value).map(([key, inner]) => [key, withLists(inner)] as const);
	const isList = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key));
	// In ascending order, as objects keep such keys.
	return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

function multipartIn(body: Buffer): Array<[string, string]> | null {
	// A character a byte, so that each part keeps its own.
	const start = body.toString('latin1', 0, 300);
	const [, delimiter] = /^\s*(--[^\r\n]{1,200})\r?\ncontent-/i.exec(start) ?? [];
	if (delimiter === undefined) return null;
	return `\n${body.toString('latin1').trimStart()}`
		.split(`\n${delimiter}`)
		.slice(1)
		.filter((part) => !part.startsWith('--'))
		.map((part) => {
			const [, head = '', value = ''] = /^(.*?)\r?\n\r?\n(.*?)\r?$/s.exec(part) ?? [];
			const [, name = ''] = /[; ]name="?([^";\r\n]*)/i.exec(head) ?? [];
			return [asText(name), asText(value)];
		});
}

function asText(bytes: string): string {
	return Buffer.from(bytes, 'latin1').toString();
}
