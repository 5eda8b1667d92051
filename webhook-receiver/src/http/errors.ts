import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { HttpError } from '../core/http-error.ts';

const RETRY_AFTER_SECONDS = 5;

export const notFound: RequestHandler = () => {
	throw new HttpError(404, 'not-found', 'There is nothing here.');
};

/** Answers every error as `{message, code}`; an unexpected one reveals no internals. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
	return (error, request, response, next) => {
		if (response.headersSent) return next(error);
		const { status, code, message, data } = toHttpError(error);
		if (status >= 500) logger.error({ err: error }, 'request failed');
		else response.locals.log = { problem: message, ...(response.locals.log as object | undefined) };
		if (status === 503) response.set('retry-after', String(RETRY_AFTER_SECONDS));
		// Discards the rest: a sender that is cut off while it writes never sees the answer.
		if (status === 413) request.resume();
		response.status(status).json({ message, code, ...(data === undefined ? {} : { data }) });
	};
}

function toHttpError(error: unknown): HttpError {
	if (error instanceof HttpError) return error;
	return bodyError(error) ?? new HttpError(500, 'internal-error', 'Something broke; see the log.');
}

/** body-parser marks the sender's errors with a type and a 4xx status. */
function bodyError(error: unknown): HttpError | null {
	if (!(error instanceof Error) || !('status' in error) || !('type' in error)) return null;
	const { status, type } = error;
	if (typeof status !== 'number' || status < 400 || status >= 500) return null;
	if (type === 'entity.too.large')
		return new HttpError(413, 'body-too-large', 'The body is too large.');
	if (type === 'encoding.unsupported') {
		return new HttpError(400, 'unsupported-encoding', 'Send the body without a content encoding.');
	}
	return new HttpError(status, 'broken-body', "The body can't be read.");
}
