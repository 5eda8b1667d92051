import type { NextFunction, Request, Response } from 'express';
import { badRequest, notFound, ServiceError } from './errors.ts';

export const answerUnknownRoute = (): never => {
	throw notFound('There is no such endpoint');
};

/**
 * Last in every app: the interface's body for errors the service raises, 4xx for input Express
 * could not read, and 500 with a report for the rest.
 */
export const answerErrors =
	(report: (error: unknown) => void) =>
	(error: unknown, _request: Request, response: Response, next: NextFunction): void => {
		if (response.headersSent) {
			report(error);
			return next(error);
		}
		const known = error instanceof ServiceError ? error : unreadable(error);
		if (known) return void response.status(known.status).json(known.body);
		report(error);
		response.status(500).json({ message: 'The sandbox has a fault', code: 'internal-error' });
	};

/** Express puts a status on errors for unreadable input (broken JSON, a bad path). */
function unreadable(error: unknown): ServiceError | null {
	const { status, message } = error as { status?: unknown; message?: string };
	if (typeof status !== 'number' || status < 400 || status > 499) return null;
	// From the file system; its message would reveal a path.
	if ('syscall' in (error as object)) return notFound('The file is no longer there');
	const { body } = badRequest(message ?? 'Bad request');
	return new ServiceError(status, body as { message: string });
}
