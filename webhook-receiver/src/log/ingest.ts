import type { Request, RequestHandler, Response } from 'express';
import type { ReceiverConfig } from '../config/read-config.ts';
import { HttpError } from '../core/http-error.ts';
import { markOf } from '../core/mark.ts';
import { parseBody } from '../core/parse-body.ts';
import { readEvents } from '../core/read-events.ts';
import { trustedHeaders, verify } from '../core/verify.ts';
import type { Signed, Verifier } from '../core/verify.ts';
import type { Counts } from '../http/counts.ts';
import { Guesses } from '../http/access.ts';
import type { NoteRefusal } from '../http/access.ts';
import { SMALL_BYTES, readBody, BodyMemory } from '../http/read-body.ts';
import { Gate } from '../http/gate.ts';
import type { Clock } from '../time/clock.ts';
import { iso } from '../time/iso.ts';
import type { Intake } from './intake.ts';

interface IngestParts {
	config: Pick<ReceiverConfig, 'BODY_LIMIT_BYTES' | 'INGEST_REQUIRE' | 'MAPPING_FILE'>;
	verifiers: readonly Verifier[];
	intake: Intake;
	counts: Pick<Counts, 'events'>;
	noteRefusal: NoteRefusal;
	clock: Clock;
}

/** How many large bodies there is memory for, and how many are taken apart at once. */
const LARGE_AT_ONCE = 8;

/** `POST /events`: authenticate, normalise, store. 200 means committed. */
export function ingest({
	config,
	verifiers,
	intake,
	counts,
	noteRefusal,
	clock,
}: IngestParts): RequestHandler[] {
	const guesses = new Guesses(clock);
	// With `none` there is one verifier, which accepts anyone.
	const require = config.INGEST_REQUIRE === 'all' ? 'all' : 'any';
	const mapping = config.MAPPING_FILE;
	const limit = config.BODY_LIMIT_BYTES;
	const memory = new BodyMemory(LARGE_AT_ONCE * limit, limit, clock);
	const parsing = new Gate(LARGE_AT_ONCE);

	/** Returns what of the request is signed. */
	async function authenticate(request: Request, response: Response, body: Buffer) {
		const { headers } = request;
		const sent = { headers, body, now: clock.wall() };
		const { refusal, signed } = await verify(verifiers, sent, require).catch((error: unknown) => {
			guesses.noteWrong(request, response, null);
			throw error;
		});
		if (refusal !== null) {
			response.locals.log = { refusal };
			counts.events('refused', 1);
			noteRefusal('events-refused', refusal);
			guesses.noteWrong(request, response, null);
			throw new HttpError(401, 'unauthorized', 'The request is not authenticated.');
		}
		guesses.noteRight(request);
		return signed;
	}

	/** Reads the events of an authenticated request, stores them and answers. */
	async function readAndStore(request: Request, response: Response, body: Buffer, signed: Signed) {
		const now = clock.now();
		const raws = parseBody(body);
		const headers = trustedHeaders(request.headers, signed, mapping);
		const receivedAt = iso(now);
		const candidates = readEvents(raws, headers, mapping).map((read) => {
			return { event: { ...read.event, receivedAt }, mark: markOf(read) };
		});
		const arrival = { candidates, now, bytes: body.length };
		const { accepted, duplicates } = await intake.add(arrival);
		response.locals.log = { accepted, duplicates };
		counts.events('accepted', accepted);
		counts.events('duplicate', duplicates);
		response.json({ accepted, duplicates });
	}

	return [
		// Before the body, which need not be read if the request is rejected here.
		(request, response, next) => {
			guesses.admit(request, response);
			next();
		},
		readBody({ limit, memory, isTrusted: (request) => guesses.trusts(request) }),
		async (request, response) => {
			const body = request.body as Buffer;
			const signed = await authenticate(request, response, body);
			const take = () => readAndStore(request, response, body, signed);
			await (body.length > SMALL_BYTES ? parsing.run(take) : take());
		},
	];
}
