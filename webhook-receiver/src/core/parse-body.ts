import { HttpError } from './http-error.ts';
import { isRecord } from './is-record.ts';
import { parseForm } from './parse-form.ts';

/** Deeper nesting would overflow the stack when serialised again. */
const DEEPEST = 64;

/** Most events in one request: its transaction blocks all others. */
const MOST_EVENTS = 1_000;

/**
 * The events in a body: one, an array, or `{"events": [...]}`. Whether it is JSON or a form it says itself:
 * senders put forms under `application/json`, and JSON under the type of forms.
 *
 * @throws HttpError 400 `broken-body`, 413 `too-many-events`
 */
export function parseBody(body: Buffer): unknown[] {
	const events = eventsIn(parse(body));
	if (events.length > MOST_EVENTS) {
		const message = `The request has more than ${MOST_EVENTS} events, the most that are taken at once.`;
		throw new HttpError(413, 'too-many-events', message);
	}
	return events;
}

function eventsIn(parsed: unknown): unknown[] {
	if (Array.isArray(parsed)) return parsed;
	const list = isRecord(parsed) ? parsed.events : null;
	const isList = Array.isArray(list) && list.every(isRecord);
	// A list of something else, such as labels, belongs to one event, and so does an empty one beside others.
	const isEvents = isList && (list.length > 0 || Object.keys(parsed as object).length === 1);
	return isEvents ? list : [parsed];
}

function parse(body: Buffer): unknown {
	// Bytes that are no UTF-8 spoil a name at the worst.
	const text = new TextDecoder().decode(body);
	const json = parseJson(text);
	const parsed = json === undefined ? parseForm(body, text) : json;
	if (parsed === undefined) throw broken('It is neither JSON nor a form.');
	if (isDeep(parsed)) throw broken(`It is nested deeper than ${DEEPEST} levels.`);
	return parsed;
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

function isDeep(value: unknown): boolean {
	let layer = [value];
	for (let depth = 0; depth <= DEEPEST && layer.length > 0; depth++) {
		layer = layer.flatMap((entry) =>
			typeof entry === 'object' && entry !== null ? Object.values(entry) : [],
		);
	}
	return layer.length > 0;
}

function broken(reason: string): HttpError {
	return new HttpError(400, 'broken-body', `The body can't be read. ${reason}`);
}
