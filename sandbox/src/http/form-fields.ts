import type { z } from 'zod/v4';
import { elementOf, inner, shapeOf } from '../state/schemas.ts';
import { invalid } from './errors.ts';

const INDEXED = /^(\w+)\[(\d{1,6})\](?:\.(\w+)|\[(\w+)\])?$/;

/** How the members of a JSON body are written in a form, which has only text. */
interface FormShape {
	/** Fields whose text is JSON: lists of objects, and numbers. */
	jsonFields: string[];
	/** Lists of plain text: `ids[0]`, `ids[]`, repeated `ids`, or one JSON list. */
	listFields: string[];
	/** Members that are true or false, wherever they stand. */
	flags: string[];
}

function formShapeOf(body: z.ZodType): FormShape {
	const shape: FormShape = { jsonFields: [], listFields: [], flags: [] };
	for (const [name, member] of Object.entries(shapeOf(body) ?? {})) {
		const { type } = inner(member);
		if (type === 'boolean') shape.flags.push(name);
		if (type === 'number') shape.jsonFields.push(name);
		const element = elementOf(member);
		if (!element) continue;
		const isText = inner(element).type === 'string';
		(isText ? shape.listFields : shape.jsonFields).push(name);
		shape.flags.push(...formShapeOf(element).flags);
	}
	return shape;
}

const FLAGS = new Map<string, boolean>([
	['true', true],
	['1', true],
	['false', false],
	['0', false],
]);

type Lists = Map<string, Map<number, unknown>>;

// Not qs: it takes one text, not the parts of a multipart body, drops names like `__proto__` instead
// of leaving them to the request's own check, and turns an index above its limit into a member.
/**
 * Turns the text fields of a multipart body into the equivalent JSON request (rule SEND-09):
 * `recipients[0].email` becomes a member of a list, and `recipients` alone is a JSON-encoded list.
 */
export function formToObject(
	fields: Array<[name: string, value: string]>,
	body: z.ZodObject,
): Record<string, unknown> {
	const { jsonFields, listFields, flags } = formShapeOf(body);
	const read = (member: string, value: string) =>
		flags.includes(member) ? (FLAGS.get(value) ?? value) : value;
	const result = new Map<string, unknown>();
	const lists: Lists = new Map();
	for (const [name, value] of fields) {
		const indexed = INDEXED.exec(name);
		const bare = name.replace(/\[\]$/, '');
		if (indexed) {
			const [, list = '', index = '', dotted, bracketed] = indexed;
			const member = dotted ?? bracketed;
			addEntry(entriesOf(lists, list), Number(index), member, read(member ?? list, value));
		} else if (listFields.includes(bare)) {
			const entries = entriesOf(lists, bare);
			for (const entry of listed(bare, value)) entries.set(entries.size, entry);
		} else {
			result.set(name, jsonFields.includes(name) ? decoded(name, value) : read(name, value));
		}
	}
	for (const [name, entries] of lists) {
		const ordered = [...entries].sort(([a], [b]) => a - b).map(([, entry]) => entry);
		result.set(name, ordered.map(plain));
	}
	return Object.fromEntries(result);
}

function entriesOf(lists: Lists, name: string): Map<number, unknown> {
	const entries = lists.get(name) ?? new Map<number, unknown>();
	lists.set(name, entries);
	return entries;
}

// A Map, so that a member named like a property of Object does no harm.
function addEntry(
	entries: Map<number, unknown>,
	index: number,
	member: string | undefined,
	value: unknown,
): void {
	if (member === undefined) return void entries.set(index, value);
	const entry = entries.get(index);
	if (entry instanceof Map) entry.set(member, value);
	else entries.set(index, new Map([[member, value]]));
}

const plain = (entry: unknown): unknown =>
	entry instanceof Map ? Object.fromEntries(entry) : entry;

// Plain text is one entry and never parsed as JSON: an id would turn into a number.
function listed(field: string, value: string): unknown[] {
	if (!value.trimStart().startsWith('[')) return [value];
	return decoded(field, value) as unknown[];
}

function decoded(field: string, value: string): unknown {
	try {
		return JSON.parse(value);
	} catch {
		throw invalid({ field, rule: 'json', message: `${field} is not valid JSON` });
	}
}
