import type { NextFunction, Request, Response } from 'express';
import { presentedFingerprint } from './authentication.ts';
import { iso } from '../world/clock.ts';
import type { World } from '../world/world.ts';

/** Logs every request to the service, so that tests see what a client really sent. No secrets. */
export const logRequests =
	({ store, clock }: World) =>
	(request: Request, response: Response, next: NextFunction): void => {
		const { method, path } = request;
		const at = iso(clock.now());
		const token = request.get('x-api-token');
		const known = token !== undefined && store.accountByToken(token) !== undefined;
		const seen = {
			at,
			method,
			path,
			contentType: request.get('content-type') ?? null,
			accept: request.get('accept') ?? null,
			token: token === undefined ? ('missing' as const) : known ? 'valid' : ('wrong' as const),
			clientCertificate: presentedFingerprint(request) !== null,
		} as const;
		// Fires on broken connections too: status is then what would have been sent.
		response.once('close', () => {
			const fault = (response.locals.fault as string | undefined) ?? null;
			store.log({ ...seen, status: response.statusCode, fault });
		});
		next();
	};
