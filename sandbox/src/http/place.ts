import { z } from 'zod/v4';

/** Which requests a rule applies to; what is left out takes any. */
export const placeShape = {
	method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).optional(),
	/** As in the interface, `/messages/{id}`: braces match any id, `*` any segment. */
	path: z.string().regex(/^\//, 'must start with /').optional(),
	/** Name of the account whose token it has. */
	account: z.string().optional(),
	/** An address that it sends to, or that a message it names was sent to. */
	recipient: z.string().optional(),
	/** Members of its body: `{"recipients.company": "Engines"}`; one entry of a list is enough. */
	body: z.record(z.string(), z.union([z.string().max(10_000), z.number(), z.boolean()])).optional(),
};

type Place = Omit<z.infer<z.ZodObject<typeof placeShape>>, 'method'> & {
	method?: string | undefined;
};

/** What there is to see of a request. */
export interface Seen {
	method: string;
	path: string;
	/** Name of its account, or null. */
	account: string | null;
	/** Addresses of the messages it names. */
	addresses: string[];
	/** As sent, once it is read; a form as the JSON it stands for. */
	body: unknown;
}

/** Whether a request is meant: by a fault, by a filter of the journal. */
export const isAt = (place: Place, seen: Seen): boolean =>
	(place.method === undefined || place.method === seen.method) &&
	(place.path === undefined || matchesPath(place.path, seen.path)) &&
	(place.account === undefined || place.account === seen.account) &&
	(place.recipient === undefined ||
		[...seen.addresses, ...valuesAt(seen.body, ['recipients', 'email'])].some(
			(address) => address.toLowerCase() === place.recipient?.toLowerCase(),
		)) &&
	Object.entries(place.body ?? {}).every(([name, value]) =>
		valuesAt(seen.body, name.split('.')).includes(String(value)),
	);

/** Whether it may be meant as far as can be seen before its body is. */
export const mayBeAt = ({ recipient, body, ...place }: Place, seen: Seen): boolean =>
	(recipient !== undefined || body !== undefined) && isAt(place, seen);

/** What stands at a path of members, as text; each entry of a list counts. */
function valuesAt(inside: unknown, path: string[]): string[] {
	if (Array.isArray(inside)) return inside.flatMap((one) => valuesAt(one, path));
	const [name, ...rest] = path;
	if (name === undefined) return [String(inside)];
	if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, name)) return [];
	return valuesAt((inside as Record<string, unknown>)[name], rest);
}

/** The interface's paths without a parameter: as in OpenAPI, they come before those with one. */
export const LITERAL_PATHS = [
	'/messages/bulk_send',
	'/messages/bulk_reschedule',
	'/messages/bulk_cancel',
	'/messages/resend',
	'/customers/bulk_store',
	'/customers',
	'/consents/bulkStore',
	'/consents',
];

/** Whether a path is one of these, `/messages/{id}`: braces match any id, `*` any segment. */
export function matchesPath(pattern: string, path: string): boolean {
	const wanted = pattern.split('/');
	const given = path.split('/');
	const isLiteral = LITERAL_PATHS.includes(path);
	const isAny = (part: string) => part === '*' || (!isLiteral && /^\{.*\}$/.test(part));
	return (
		wanted.length === given.length &&
		wanted.every((part, index) => isAny(part) || part === given[index])
	);
}
