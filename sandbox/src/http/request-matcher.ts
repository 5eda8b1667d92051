import { z } from 'zod/v4';
import { isSameAddress } from './contacts.ts';

/** Which requests are meant; what is left out takes any. */
export const matcherShape = {
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

type Matcher = Omit<z.infer<z.ZodObject<typeof matcherShape>>, 'method'> & {
	method?: string | undefined;
};

/** A request as far as it has been read. */
export interface MatchableRequest {
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
export const isMatch = (matcher: Matcher, request: MatchableRequest): boolean =>
	(matcher.method === undefined || matcher.method === request.method) &&
	(matcher.path === undefined || matchesPath(matcher.path, request.path)) &&
	(matcher.account === undefined || matcher.account === request.account) &&
	(matcher.recipient === undefined ||
		[...request.addresses, ...valuesAt(request.body, ['recipients', 'email'])].some((address) =>
			isSameAddress(address, String(matcher.recipient)),
		)) &&
	Object.entries(matcher.body ?? {}).every(([name, value]) =>
		valuesAt(request.body, name.split('.')).includes(String(value)),
	);

/** Whether it may be meant, as far as that shows before its body is read. */
export const mayMatch = (
	{ recipient, body, ...matcher }: Matcher,
	request: MatchableRequest,
): boolean => (recipient !== undefined || body !== undefined) && isMatch(matcher, request);

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
