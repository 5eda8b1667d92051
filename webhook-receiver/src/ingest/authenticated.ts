import { TLSSocket } from 'node:tls';
import type { Request, RequestHandler } from 'express';
import { HttpError } from '../core/http-error.ts';
import { verify } from '../core/verify.ts';
import type { Client, Require, Verifier } from '../core/verify.ts';
import { Guesses } from '../http/guesses.ts';
import { largeBodies } from '../http/large-bodies.ts';
import type { Clock } from '../time/clock.ts';

export interface AuthenticationParts {
	verifiers: readonly Verifier[];
	require: Require;
	metrics: { countEvents(outcome: 'accepted' | 'duplicate' | 'refused', count: number): void };
	clock: Clock;
}

/** What the request's handler learns about its authentication. */
export interface Authenticated {
	/** Whether the body is signed or comes over an authenticated connection. */
	signsBody: boolean;
}

/**
 * Requires the configured authentication; leaves {@link Authenticated} in
 * `response.locals`.
 */
export function authenticated(
	{ verifiers, require, metrics, clock }: AuthenticationParts,
	readBody: RequestHandler,
): RequestHandler[] {
	const guesses = new Guesses(clock);
	return [
		// Before the body, which need not be read if the request is rejected here.
		(request, response, next) => {
			guesses.admit(request, response);
			next();
		},
		largeBodies((request) => guesses.knows(request)),
		readBody,
		async (request, response, next) => {
			const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
			const { headers } = request;
			const signed = { headers, body, now: clock.now(), client: clientOf(request) };
			const { refusal, signsBody } = await verify(verifiers, signed, require).catch(
				(error: unknown) => {
					guesses.noteWrong(request, response, null);
					throw error;
				},
			);
			if (refusal !== null) {
				response.locals.log = { refusal };
				metrics.countEvents('refused', 1);
				guesses.noteWrong(request, response, null);
				throw new HttpError(401, 'unauthorized', 'The request is not authenticated.');
			}
			guesses.noteRight(request);
			Object.assign(response.locals, { signsBody } satisfies Authenticated);
			next();
		},
	];
}

/** Who sent a request; Express has applied TRUSTED_PROXIES to `request.ip`. */
function clientOf(request: Request): Client {
	const { socket } = request;
	const isTrusted = request.app.get('trust proxy fn') as TrustProxy;
	const x509 = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
	return {
		address: request.ip ?? null,
		certificate: x509 ? { x509, isTrusted: (socket as TLSSocket).authorized } : null,
		isTrustedProxy: isTrusted(socket.remoteAddress, 0),
	};
}

type TrustProxy = (address: string | undefined, hop: number) => boolean;
