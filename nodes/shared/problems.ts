import { isRecord } from './isRecord';

/** One thing the service found wrong, wherever in its answer it stood (rules SEND-11, CUST-02, CONS-05). */
export interface Problem {
	/** The list that was sent, as a field path names it (`customers`), or null. */
	list: string | null;
	/** Place in the list that was sent, from 0, or null when the service named none. */
	position: number | null;
	email: string | null;
	/** Field of the entry (`email`), or of the request when there is no position. */
	field: string | null;
	message: string;
	rule: string | null;
}

/** Reads `data`, `data.errors`, `invalidRecipients` and `errors` (interface, section Errors). */
export function readProblems(answer: Record<string, unknown>): Problem[] {
	const { data } = answer;
	const lists = [
		answer.errors,
		answer.invalidRecipients,
		Array.isArray(data) ? data : isRecord(data) ? data.errors : undefined,
	];
	return lists.flatMap((list) => (Array.isArray(list) ? list.map(readProblem) : []));
}

/** The problem in words, without its position: who it concerns is the caller's to say. */
export function problemText({ email, field, message, rule }: Problem): string {
	const place = [email && `<${email}>`, field].filter(Boolean).join(', ');
	const text = `${message}${rule ? ` (${rule})` : ''}`;
	return place ? `${place}: ${text}` : text;
}

// `customers.3.email`, `customers[3].email`, `recipients.3`
const PLACE = /^(\w+)(?:\.(\d+)|\[(\d+)\])(?:\.(.+))?$/;

// Entries come as texts, or as objects with some of these members; which ones is not shown.
function readProblem(entry: unknown): Problem {
	const none = { list: null, position: null, email: null, field: null, rule: null };
	if (typeof entry === 'string') return { ...none, message: entry };
	if (!isRecord(entry)) return { ...none, message: JSON.stringify(entry) };
	const { index } = entry;
	const text = (name: string) => {
		const value = entry[name];
		return typeof value === 'string' && value !== '' ? value : null;
	};
	const field = text('field');
	const place = PLACE.exec(field ?? '');
	const named = place && Number(place[2] ?? place[3]);
	return {
		list: place?.[1] ?? null,
		position: typeof index === 'number' ? index : named,
		email: text('email'),
		field: place ? (place[4] ?? null) : field,
		message: text('message') ?? JSON.stringify(entry),
		rule: text('rule'),
	};
}
