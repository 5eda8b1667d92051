import type { z } from 'zod/v4';
import { HttpError } from '../core/http-error.ts';

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
