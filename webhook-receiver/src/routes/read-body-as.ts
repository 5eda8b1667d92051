import type { z } from 'zod/v4';
import { HttpError } from '../http-error.ts';

/**
 * @throws HttpError 422 with the code `invalid-<what>` that names each field which is wrong, and never
 * what was sent in it: that may be a secret
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
	const said = faults.map(({ field, message }) => `${field || 'body'}: ${message}`).join('; ');
	throw new HttpError(422, `invalid-${what}`, `The ${what} is not valid. ${said}`, faults);
}
