import { isRecord } from './isRecord';
import { decodeEntities } from './plainText';

/** One thing the service found wrong, wherever in its answer it stood (rules SEND-11, CUST-02, CONS-05). */
export interface Problem {
	/** The list that was sent, as a field path names it (`customers`), or null. */
	list: string | null;
	/** Place in the list that was sent, from 0, as a field path names it, or null. */
	position: number | null;
	/** The service's own number of the entry; whether it counts from 0 or 1 is not shown. Or null. */
	index: number | null;
	/** The address it concerns, as the service spells it, or null. */
	email: string | null;
	/** Field of the entry (`email`), or of the request when there is no position. */
	field: string | null;
	message: string;
	rule: string | null;
}

/**
 * Reads `data`, `data.errors`, `invalidRecipients` and `errors` (interface, section Errors). Which form
 * their entries have is not shown, so all that services are known to use are read: lists and objects by
 * number, address or field path; entries that are texts, or objects that say somewhere whom they concern.
 */
export function readProblems(answer: Record<string, unknown>): Problem[] {
	const { data, errors, invalidRecipients } = answer;
	const own = isRecord(data) ? (data.errors ?? namedEntries(data)) : data;
	return [errors, invalidRecipients, own].flatMap(readList);
}

/** The problem in words, without its place: who it concerns is the caller's to say. */
export function problemText({ index, email, field, message, rule }: Problem): string {
	const says = (word: string) => message.toLowerCase().includes(word.toLowerCase());
	const place = [
		email !== null && !says(email) && `<${email}>`,
		email === null && index !== null && `index ${index}`,
		field,
	]
		.filter(Boolean)
		.join(', ');
	const text = `${message}${rule ? ` (${rule})` : ''}`;
	return place ? `${place}: ${text}` : text;
}

/** Members by which an object is known to be an entry itself, rather than a list of them by name. */
const ENTRY_MEMBERS = [
	'email',
	'index',
	'field',
	'message',
	'rule',
	'recipient',
	'contact',
	'value',
];

function readList(list: unknown): Problem[] {
	if (Array.isArray(list)) return list.map((entry) => readProblem(entry));
	if (!isRecord(list)) return [];
	if (ENTRY_MEMBERS.some((name) => Object.hasOwn(list, name))) return [readProblem(list)];
	return Object.entries(list).map(([name, entry]) => ({
		...readProblem(entry),
		...readName(name),
	}));
}

// `data` may hold anything; only what is named like an entry is one.
function namedEntries(data: Record<string, unknown>): Record<string, unknown> {
	const isEntry = (name: string) => readName(name).field !== name;
	return Object.fromEntries(Object.entries(data).filter(([name]) => isEntry(name)));
}

// `customers.3.email`, `customers[3].email`, `recipients.3`
const PLACE = /^(\w+)(?:\.(\d+)|\[(\d+)\])(?:\.(.+))?$/;

function readField(field: string): Pick<Problem, 'list' | 'position' | 'field'> {
	const place = PLACE.exec(field);
	if (!place) return { list: null, position: null, field };
	return { list: place[1], position: Number(place[2] ?? place[3]), field: place[4] ?? null };
}

// What an entry is filed under in an object.
function readName(name: string): Partial<Problem> {
	const index = countOf(name);
	if (index !== null) return { index };
	const email = addressOf(name);
	return email === null ? readField(name) : { email };
}

function readProblem(entry: unknown): Problem {
	const none = { list: null, position: null, index: null, email: null, field: null, rule: null };
	if (Array.isArray(entry) && entry.every((text) => typeof text === 'string')) {
		return readProblem(entry.join(' '));
	}
	if (typeof entry === 'string') {
		const message = decodeEntities(entry);
		return { ...none, message, email: onlyOne(addressesIn(message)) };
	}
	if (!isRecord(entry)) return { ...none, message: JSON.stringify(entry) };
	const text = (...names: string[]) => {
		const found = names.map((name) => entry[name]).find((one) => typeof one === 'string' && one);
		return typeof found === 'string' ? decodeEntities(found) : null;
	};
	const field = text('field');
	const place = field === null ? {} : readField(field);
	const index = countOf(entry.index) ?? countOf(entry.position);
	const said = text('message', 'reason', 'error');
	const email = addressOf(entry.email) ?? onlyOne(namedAddresses(entry));
	return {
		...none,
		...place,
		index,
		// Words alone are read like a text. Beside an index, an address in them may be another entry's:
		// "duplicate of …".
		email: email ?? (index === null && field === null ? onlyOne(addressesIn(said ?? '')) : null),
		message: said ?? JSON.stringify(entry),
		rule: text('rule'),
	};
}

/** A count as number or text, from 0. */
function countOf(value: unknown): number | null {
	const isCount = typeof value === 'string' ? /^\d{1,9}$/.test(value) : Number.isInteger(value);
	return isCount && Number(value) >= 0 ? Number(value) : null;
}

// Split only where no address can go on, and stripped only of what none can end with: "o'brien@…" is one.
function addressesIn(text: string): string[] {
	return text.split(/[\s,;:<>()[\]"\\]+/).flatMap((word) => {
		const bare = word.replace(/[.!?'`]+$/, '');
		const quote = word.slice(bare.length).includes(word[0]) && /['`]/.test(word[0]);
		return addressOf(quote ? bare.slice(1) : bare) ?? [];
	});
}

/** A text that is an address and nothing else. */
function addressOf(value: unknown): string | null {
	const text = typeof value === 'string' ? decodeEntities(value).trim() : '';
	return /^[^\s@]+@[^\s@]+$/.test(text) ? text : null;
}

/** How deep an entry may hold the address: `{recipient: {contact: {email}}}`. */
const DEEPEST = 3;

function namedAddresses(entry: Record<string, unknown>, depth = 1): string[] {
	return Object.values(entry).flatMap((member) => {
		if (isRecord(member)) return depth < DEEPEST ? namedAddresses(member, depth + 1) : [];
		return addressOf(member) ?? [];
	});
}

// Two different addresses may be the culprit and another one.
function onlyOne(addresses: string[]): string | null {
	const different = new Set(addresses.map((address) => address.toLowerCase()));
	return different.size === 1 ? addresses[0] : null;
}
