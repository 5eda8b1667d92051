import { isEmail } from '../fields/email';
import { isRecord } from '../fields/isRecord';
import { decodeEntities } from './plainText';

/** One thing the service rejected, wherever its answer says so (rules SEND-11, CUST-02, CONS-05). */
export interface Rejection {
	/** The list in the request, as a field path names it (`customers`), or null. */
	list: string | null;
	/** Position in that list, from 0, as a field path names it, or null. */
	position: number | null;
	/** The service's own number for the entry, or null; the interface does not say whether it starts at 0 or 1. */
	index: number | null;
	/** The address it is about, as the service spells it, or null. */
	email: string | null;
	/** Field of the entry (`email`), or of the request when there is no position. */
	field: string | null;
	message: string;
	rule: string | null;
}

/**
 * Reads `data`, `data.errors`, `invalidRecipients` and `errors` (interface, section Errors). The interface
 * does not show what their entries look like, so this reads every form that services are known to use:
 * lists, and objects by number, address or field path; entries that are texts, or objects that somewhere
 * say whom they are about.
 */
export function readRejections(answer: Record<string, unknown>): Rejection[] {
	const { data, errors, invalidRecipients } = answer;
	const own = isRecord(data) ? (data.errors ?? namedEntries(data)) : data;
	return [errors, invalidRecipients, own].flatMap(listedRejections);
}

/** The rejection in words, without its position: the caller says whom it is about. */
export function rejectionText({ index, email, field, message, rule }: Rejection): string {
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

/** An object with one of these members is an entry, not a list of entries by name. */
const ENTRY_MEMBERS = 'email index field message rule recipient contact value'.split(' ');

function listedRejections(list: unknown): Rejection[] {
	if (Array.isArray(list)) return list.map((entry) => readRejection(entry));
	if (!isRecord(list)) return [];
	if (ENTRY_MEMBERS.some((name) => Object.hasOwn(list, name))) return [readRejection(list)];
	return Object.entries(list).map(([name, entry]) => ({
		...readRejection(entry),
		...readName(name),
	}));
}

// `data` may hold anything; only members named like entries are entries.
function namedEntries(data: Record<string, unknown>): Record<string, unknown> {
	const isEntry = (name: string) => readName(name).field !== name;
	return Object.fromEntries(Object.entries(data).filter(([name]) => isEntry(name)));
}

// `customers.3.email`, `customers[3].email`, `recipients.3`
const PLACE = /^(\w+)(?:\.(\d+)|\[(\d+)\])(?:\.(.+))?$/;

function readField(field: string): Pick<Rejection, 'list' | 'position' | 'field'> {
	const place = PLACE.exec(field);
	if (!place) return { list: null, position: null, field };
	return { list: place[1], position: Number(place[2] ?? place[3]), field: place[4] ?? null };
}

// The name under which an object holds an entry.
function readName(name: string): Partial<Rejection> {
	const index = indexOf(name);
	if (index !== null) return { index };
	const email = addressOf(name);
	return email === null ? readField(name) : { email };
}

function readRejection(entry: unknown): Rejection {
	const none = { list: null, position: null, index: null, email: null, field: null, rule: null };
	if (Array.isArray(entry) && entry.every((text) => typeof text === 'string')) {
		return readRejection(entry.join(' '));
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
	const index = indexOf(entry.index) ?? indexOf(entry.position);
	const message = text('message', 'reason', 'error');
	const email = addressOf(entry.email) ?? onlyOne(namedAddresses(entry));
	return {
		...none,
		...place,
		index,
		// Words alone are read like a text. Beside an index, an address in them may belong to another entry:
		// "duplicate of …".
		email: email ?? (index === null && field === null ? onlyOne(addressesIn(message ?? '')) : null),
		message: message ?? JSON.stringify(entry),
		rule: text('rule'),
	};
}

/** A number from 0, possibly as text. */
function indexOf(value: unknown): number | null {
	const isCount = typeof value === 'string' ? /^\d{1,9}$/.test(value) : Number.isInteger(value);
	return isCount && Number(value) >= 0 ? Number(value) : null;
}

// Split only where no address can continue, stripped only of what none can end with: "o'brien@…" is one.
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
	return isEmail(text) ? text : null;
}

/** How deep in an entry the address may be: `{recipient: {contact: {email}}}`. */
const DEEPEST = 3;

function namedAddresses(entry: Record<string, unknown>, depth = 1): string[] {
	return Object.values(entry).flatMap((member) => {
		if (isRecord(member)) return depth < DEEPEST ? namedAddresses(member, depth + 1) : [];
		return addressOf(member) ?? [];
	});
}

// Of two different addresses, one may be a bystander's.
function onlyOne(addresses: string[]): string | null {
	const different = new Set(addresses.map((address) => address.toLowerCase()));
	return different.size === 1 ? addresses[0] : null;
}
