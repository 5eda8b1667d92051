import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { decodeEntities } from '../fields/plainText';

/** One thing the service rejected, wherever its answer says so (rules SEND-11, CUST-02, CONS-05). */
export interface Rejection {
	/** The list in the request, as a field path names it (`customers`), or null. */
	list: string | null;
	/** Position in that list, from 0, or null. */
	position: number | null;
	/** The address it is about, as the service spells it, or null. */
	email: string | null;
	/** Field of the entry (`email`), or of the request when there is no position. */
	field: string | null;
	message: string;
	rule: string | null;
}

/**
 * Reads the lists `data`, `data.errors`, `invalidRecipients` and `errors` (interface, section Errors). It shows
 * entries of the form `{field, rule, message}` only, and does not say how the others name their recipient: an
 * entry is traced by its field path, or by its address.
 */
export function readRejections({
	data,
	errors,
	invalidRecipients,
}: Record<string, unknown>): Rejection[] {
	return [errors, invalidRecipients, isRecord(data) ? data.errors : data].flatMap((list) =>
		Array.isArray(list) ? list.map(readRejection) : [],
	);
}

/** The rejection in words, without its position: the caller says whom it is about. */
export function rejectionText({ email, field, message, rule }: Rejection): string {
	const isNamed = email !== null && message.toLowerCase().includes(email.toLowerCase());
	const place = [email !== null && !isNamed && `<${email}>`, field].filter(Boolean).join(', ');
	const text = `${message}${rule ? ` (${rule})` : ''}`;
	return place ? `${place}: ${text}` : text;
}

function readRejection(entry: unknown): Rejection {
	const members = isRecord(entry) ? entry : { email: entry };
	const text = (name: string) => {
		const given = members[name];
		return typeof given === 'string' && given !== '' ? decodeEntities(given) : null;
	};
	const email = text('email')?.trim() ?? '';
	const field = text('field');
	const isAddress = /^[^\s@]+@[^\s@]+$/.test(email);
	// One that says in a way of its own whom it is about is shown as it came.
	const isKnown = isAddress || field !== null || Object.keys(members).length === 1;
	return {
		...readPath(field),
		email: isAddress ? email : null,
		message:
			(isKnown && text('message')) || (typeof entry === 'string' ? email : JSON.stringify(entry)),
		rule: text('rule'),
	};
}

// `customers.3.email`, `recipients[3].email`, `recipients[3]`
const PATH = /^(\w+)(?:\.(\d+)|\[(\d+)\])(?:\.(.+))?$/;

function readPath(field: string | null): Pick<Rejection, 'list' | 'position' | 'field'> {
	const path = PATH.exec(field ?? '');
	if (!path) return { list: null, position: null, field };
	return { list: path[1], position: Number(path[2] ?? path[3]), field: path[4] ?? null };
}
