import { notFound } from '../http/errors.ts';
import { checked, fieldErrors } from '../http/field-errors.ts';
import type { Endpoint } from './endpoint.ts';

/** The three parts of a call, as sent or as validated. */
export interface Sent {
	params: unknown;
	query: unknown;
	body: unknown;
}

/** Validates a call against its schemas. @throws ServiceError 404 for the path, 422 for the rest */
export function checkSent({ params, query, body }: Endpoint, sent: Sent): Sent {
	return {
		params: params ? inPath(params, sent.params) : {},
		query: query ? checked(query, sent.query) : {},
		body: body ? checked(body, sent.body) : {},
	};
}

/** Sorts the members of one flat object, as the typed client takes it, into path, query and body. */
export function sentFrom({ params, query }: Endpoint, input: Record<string, unknown>): Sent {
	const members = Object.entries(input);
	const isIn = (schema: Endpoint['params'], name: string) =>
		Object.hasOwn(schema?.shape ?? {}, name);
	const those = (wanted: (name: string) => boolean) =>
		Object.fromEntries(members.filter(([name]) => wanted(name)));
	return {
		params: those((name) => isIn(params, name)),
		query: those((name) => isIn(query, name)),
		body: those((name) => !isIn(params, name) && !isIn(query, name)),
	};
}

/** What no path can name is not there. */
function inPath(schema: NonNullable<Endpoint['params']>, sent: unknown): unknown {
	const parsed = schema.safeParse(sent);
	if (parsed.success) return parsed.data;
	const reasons = fieldErrors(parsed.error, sent).map(({ message }) => message);
	throw notFound(reasons.join('; '));
}
