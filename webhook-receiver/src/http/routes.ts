import type { Request, RequestParamHandler } from 'express';
import { z } from 'zod/v4';
import { messageIdSchema } from '../core/event-contract.ts';
import { HttpError } from '../core/http-error.ts';

// What routes read of requests. A listing comes in slices, newest first, as `{data, next}`, where `next`
// is the `before` of the next slice.

export const sliceSchema = z.object({
	limit: z.coerce.number().int().min(1).max(500).default(50),
	before: z.coerce.number().int().positive().nullable().default(null),
});

export function readQuery<Schema extends z.ZodType>(
	request: Request,
	schema: Schema,
): z.output<Schema> {
	const parsed = schema.safeParse(request.query);
	if (parsed.success) return parsed.data;
	const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
	throw new HttpError(400, 'invalid-query', problems.join('; '));
}

/**
 * The slice, and where the next one begins: null where nothing follows. A slice may be shorter than asked
 * for and yet not the last, since it is no larger than a few megabytes; so what follows is asked for.
 *
 * @param place what the next slice is asked for by
 * @param placeOf the place of an entry
 */
export async function sliced<S extends { limit: number }, P extends keyof S, Entry>(
	slice: S,
	place: P,
	read: (slice: S) => Promise<Entry[]>,
	placeOf: (entry: Entry) => NonNullable<S[P]>,
): Promise<{ data: Entry[]; next: NonNullable<S[P]> | null }> {
	const data = await read(slice);
	const last = data.at(-1);
	if (last === undefined) return { data, next: null };
	const next = placeOf(last);
	const following = await read({ ...slice, limit: 1, [place]: next });
	return { data, next: following.length > 0 ? next : null };
}

/**
 * Throws 422 `invalid-<what>`, which names each field that is wrong but never its value: that may be a
 * secret.
 */
export function readBodyAs<Schema extends z.ZodType>(
	schema: Schema,
	body: unknown,
	what: string,
): z.output<Schema> {
	const parsed = schema.safeParse(body);
	if (parsed.success) return parsed.data;
	const faults = parsed.error.issues.map(({ path, message }) => ({
		field: path.join('.'),
		message,
	}));
	const details = faults.map(({ field, message }) => `${field || 'body'}: ${message}`).join('; ');
	throw new HttpError(422, `invalid-${what}`, `The ${what} is not valid. ${details}`, faults);
}

/** For paths with the id of a letter. */
export const checkMessageId: RequestParamHandler = (_request, _response, next, id) => {
	const isId = messageIdSchema.safeParse(id).success;
	if (!isId) throw new HttpError(400, 'invalid-message-id', 'A message id has 12 digits.');
	next();
};

/** @throws HttpError 404 if null */
export function foundOr404<T>(found: T | null, code: string, message: string): T {
	if (found === null) throw new HttpError(404, code, message);
	return found;
}
