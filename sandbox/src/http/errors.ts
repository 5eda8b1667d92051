/** An error response of the interface (section Errors). */
export class ServiceError extends Error {
	readonly status: number;
	readonly body: object;

	constructor(status: number, body: { message: string } | { errors: FieldError[] }) {
		super('message' in body ? body.message : (body.errors[0]?.message ?? 'Invalid request'));
		this.status = status;
		this.body = body;
	}
}

export interface FieldError {
	field: string;
	rule: string;
	message: string;
}

/** An error in one recipient; `index` is its position in the request (rule SEND-11). */
export interface ContactError extends FieldError {
	index: number;
	email: string | null;
}

/** One with a code. What each endpoint may answer is in its declaration. */
export function serviceError(status: number, code: string, message: string, more: object = {}) {
	const body = { message, code, ...more };
	return new ServiceError(status, body);
}

/** A request body that breaks a rule, in the shape the interface shows for customer creation. */
export const invalid = (...errors: FieldError[]) =>
	serviceError(422, 'E_VALIDATION_ERROR', errors.map(({ message }) => message).join('; '), {
		data: { errors },
	});

export const badRequest = (message: string) => serviceError(400, 'bad-request', message);

/** The message's or the sandbox's state does not allow this. */
export const conflict = (message: string) => serviceError(409, 'conflict', message);

export const notFound = (message: string) => serviceError(404, 'not-found', message);

/** The thing, or 404. */
export function found<T>(thing: T | undefined, what: string): T {
	if (thing === undefined) throw notFound(`There is no ${what}`);
	return thing;
}
