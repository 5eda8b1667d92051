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

/** From the id or sequence of the slice's last entry; null when nothing can be older. */
export function nextBefore(last = 0): number | null {
	return last > 1 ? last : null;
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
