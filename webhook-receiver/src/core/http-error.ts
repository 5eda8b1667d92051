/** A non-success answer: `{message, code}` with optional `data`. */
export class HttpError extends Error {
	readonly status: number;
	readonly code: string;
	readonly data: unknown;

	constructor(
		status: number,
		code: string,
		message: string,
		data?: unknown,
		options?: ErrorOptions,
	) {
		super(message, options);
		this.name = 'HttpError';
		this.status = status;
		this.code = code;
		this.data = data;
	}
}
