import { TLSSocket } from 'node:tls';
import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import type { ReceiverConfig } from '../config/read-config.ts';
import { HttpError } from '../core/http-error.ts';
import { markOf } from '../core/mark.ts';
import { parseBody } from '../core/parse-body.ts';
import { readEvents } from '../core/read-events.ts';
import { trustedHeaders, verify } from '../core/verify.ts';
import type { Client, Verifier } from '../core/verify.ts';
import { Guesses } from '../http/guesses.ts';
import { largeBodies } from '../http/large-bodies.ts';
import type { Clock } from '../time/clock.ts';
import { iso } from '../time/iso.ts';
import type { Intake } from './intake.ts';

export interface IngestParts {
	config: Pick<ReceiverConfig, 'BODY_LIMIT_BYTES' | 'INGEST_REQUIRE' | 'MAPPING_FILE'>;
	verifiers: readonly Verifier[];
	store: { intake: Intake };
	metrics: { countEvents(outcome: 'accepted' | 'duplicate' | 'refused', count: number): void };
	clock: Clock;
}

/** `POST /events`: authenticate, normalise, store. 200 means committed. */
export function ingest({
	config,
	verifiers,
	store,
	metrics,
	clock,
}: IngestParts): RequestHandler[] {
	const guesses = new Guesses(clock);
	// With `none` there is one verifier, which accepts anyone.
	const require = config.INGEST_REQUIRE === 'all' ? 'all' : 'any';
	const mapping = config.MAPPING_FILE;
	// Unparsed, since a signature covers the exact bytes.
	const readBody = express.raw({
		type: () => true,
		inflate: false,
		limit: config.BODY_LIMIT_BYTES,
	});

	/** Returns what of the request is signed or comes over an authenticated connection. */
	async function authenticate(request: Request, response: Response, body: Buffer) {
		const { headers } = request;
		const sent = { headers, body, now: clock.now(), client: clientOf(request) };
		const { refusal, signed } = await verify(verifiers, sent, require).catch((error: unknown) => {
			guesses.noteWrong(request, response, null);
			throw error;
		});
		if (refusal !== null) {
			response.locals.log = { refusal };
			metrics.countEvents('refused', 1);
			guesses.noteWrong(request, response, null);
			throw new HttpError(401, 'unauthorized', 'The request is not authenticated.');
		}
		guesses.noteRight(request);
		return signed;
	}

	return [
		// Before the body, which need not be read if the request is rejected here.
		(request, response, next) => {
			guesses.admit(request, response);
			next();
		},
		largeBodies((request) => guesses.knows(request)),
		readBody,
		async (request, response) => {
			const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
			const signed = await authenticate(request, response, body);
			const now = clock.now();
			const raws = parseBody(body, request.get('content-type'), mapping);
			const headers = trustedHeaders(request.headers, signed, mapping);
			const receivedAt = iso(now);
			const candidates = readEvents(raws, headers, mapping).map((read) => {
				return { event: { ...read.event, receivedAt }, mark: markOf(read) };
			});
			const arrival = { candidates, now, bytes: body.length };
			const { accepted, duplicates } = await store.intake.add(arrival);
			response.locals.log = { accepted, duplicates };
			metrics.countEvents('accepted', accepted);
			metrics.countEvents('duplicate', duplicates);
			response.json({ accepted, duplicates });
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
