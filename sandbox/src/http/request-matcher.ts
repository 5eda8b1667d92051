import { z } from 'zod/v4';

/** Which requests are meant: by a fault, by a filter of the journal. What is left out takes any. */
export const matcherShape = {
	method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).optional(),
	path: z
		.string()
		.regex(/^\//, 'must start with /')
		.optional()
		.describe('As in `/messages/{id}`: braces match an id or a status, `*` any segment'),
};

export type Matcher = z.infer<z.ZodObject<typeof matcherShape>>;

export const isMatch = (matcher: Matcher, request: { method: string; path: string }): boolean =>
	(matcher.method === undefined || matcher.method === request.method) &&
	(matcher.path === undefined || matchesPath(matcher.path, request.path));

function matchesPath(pattern: string, path: string): boolean {
	const wanted = pattern.split('/');
	const given = path.split('/');
	return (
		wanted.length === given.length &&
		given.every((part, index) => matchesPart(wanted[index] ?? '', part))
	);
}

function matchesPart(wanted: string, given: string): boolean {
	if (wanted === '*' || wanted === given) return true;
	// Names such as `bulk_send`, which stand where an id can, have no digit.
	return /^\{.*\}$/.test(wanted) && /\d|^[A-Z]+$/.test(given);
}
