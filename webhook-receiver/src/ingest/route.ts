import type { RequestHandler } from 'express';
import { markOf } from '../core/mark.ts';
import { iso } from '../time/iso.ts';
import type { Authenticated, AuthenticationParts } from './authenticated.ts';
import { withoutEventIds } from '../core/normalise.ts';
import type { Reading } from '../core/normalise.ts';
import { parseBody } from '../core/parse-body.ts';
import { readEvents } from '../core/read-events.ts';
import type { Candidate, IngestResult } from './intake.ts';

export interface IngestParts extends AuthenticationParts {
	reading: Reading;
	store: {
		ingest(candidates: readonly Candidate[], now: number, bytes: number): Promise<IngestResult>;
	};
}

/** `POST /events`, once authenticated: normalise, store. 200 means committed. */
export function ingest(parts: IngestParts): RequestHandler {
	return async (request, response) => {
		const now = parts.clock.now();
		const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
		const { reading, store } = parts;
		const raws = parseBody(body, request.get('content-type'), reading);
		const { signsBody } = response.locals as Authenticated;
		const headers = signsBody ? request.headers : withoutEventIds(request.headers, reading);
		const receivedAt = iso(now);
		const candidates = readEvents(raws, headers, reading).map((read) => {
			return { event: { ...read.event, receivedAt }, mark: markOf(read) };
		});
		const { accepted, duplicates } = await store.ingest(candidates, now, body.length);
		response.locals.log = { accepted, duplicates };
		parts.metrics.countEvents('accepted', accepted);
		parts.metrics.countEvents('duplicate', duplicates);
		response.json({ accepted, duplicates });
	};
}
