import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { HttpError } from '../http-error.ts';
import { StoreUnavailable } from '../store/store.ts';

export const notFound: RequestHandler = () => {
	throw new HttpError(404, 'not-found', 'There is nothing here.');
};

/** Every error as `{message, code}`; what is unforeseen says nothing of its insides. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
	return (error, _request, response, next) => {
		if (response.headersSent) return next(error);
		const { status, code, message, data } = toHttpError(error);
		if (status >= 500) logger.error({ err: error }, 'request failed');
		if (status === 503) response.set('retry-after', '5');
		if (status === 413) response.set('connection', 'close');
		response.status(status).json({ message, code, ...(data === undefined ? {} : { data }) });
	};
}

function toHttpError(error: unknown): HttpError {
	if (error instanceof HttpError) return error;
	if (error instanceof StoreUnavailable) {
		return new HttpError(503, 'store-unavailable', error.message);
	}
	const status = bodyParserStatus(error);
	if (status !== null) return new HttpError(status, 'broken-body', "The body can't be read.");
	return new HttpError(500, 'internal-error', 'Something went wrong here; the log says what.');
}

/** body-parser marks the errors that are the sender's with a 4xx status. */
function bodyParserStatus(error: unknown): number | null {
	if (!(error instanceof Error) || !('status' in error)) return null;
	const { status } = error;
	return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}
