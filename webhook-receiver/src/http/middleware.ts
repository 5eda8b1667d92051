import { isIP } from 'node:net';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { HttpError } from '../core/http-error.ts';
import { withoutQuery } from '../core/without-query.ts';
import type { Clock } from '../time/clock.ts';

/** Logs one wide line per request; routes add to it through `response.locals.log`. */
export function requestLog(logger: Logger, clock: Clock): RequestHandler {
	return (request, response, next) => {
		const started = clock.elapsed();
		response.once('close', () => {
			logger.info(
				{
					method: request.method,
					path: pathToLog(request.originalUrl, response.locals.role !== undefined),
					status: response.writableFinished ? response.statusCode : 'aborted',
					ms: Math.round(clock.elapsed() - started),
					...(response.locals.log as object | undefined),
				},
				'request',
			);
		});
		next();
	};
}

/**
 * Where no management token was shown, what follows the first part may be a secret, put there by who sends:
 * `/events/<secret>`. No route that is for everyone has anything there.
 */
function pathToLog(url: string, isAuthorized: boolean): string {
	const path = withoutQuery(url);
	if (isAuthorized) return path;
	const [first = '/'] = /^\/+[a-z]{0,12}(?=\/|$)/.exec(path) ?? [];
	return first.length < path.length ? `${first.replace(/\/*$/, '')}/…` : path;
}

/**
 * Refuses what no store can have and no route can read: `%00`, and a path that is not UTF-8. Takes `//events`
 * for `/events`, as it comes of an address that ends with a slash.
 */
export const readableUrl: RequestHandler = (request, _response, next) => {
	if (request.url.includes('%00') || !isDecodable(request.path)) {
		throw new HttpError(400, 'broken-url', 'The URL has %00 in it, or a % that is no UTF-8.');
	}
	request.url = request.url.replace(/^\/{2,}/, '/');
	next();
};

function isDecodable(path: string): boolean {
	try {
		decodeURIComponent(path);
		return true;
	} catch {
		return false;
	}
}

/** One for all: each would otherwise be a sender of its own. */
const NO_ADDRESS = 'unknown';

/**
 * Lets Express read what proxies write into X-Forwarded-For: some put the sender's port behind the address,
 * brackets around it or quotes. Whatever is no address counts as one and the same.
 */
export const plainAddresses: RequestHandler = (request, _response, next) => {
	const forwarded = request.headers['x-forwarded-for'];
	if (forwarded !== undefined) {
		request.headers['x-forwarded-for'] = String(forwarded).split(',').map(plain).join(', ');
	}
	next();
};

/** `203.0.113.7:51008`, `[2001:db8::1]:443` and `"[2001:db8::1]"` without what surrounds the address. */
function plain(entry: string): string {
	const unquoted = entry.trim().replace(/^"(.*)"$/, '$1');
	const address = unquoted.replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3');
	return isIP(address) === 0 ? NO_ADDRESS : address;
}

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
