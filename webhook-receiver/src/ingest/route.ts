import type { RequestHandler } from 'express';
import { duplicateKey } from '../core/duplicates.ts';
import type { DedupConfig } from '../core/duplicates.ts';
import type { Authenticated, AuthenticationParts } from './authenticated.ts';
import { headersOf, normalise, withoutEventIds } from '../core/normalise.ts';
import type { Headers, Reading } from '../core/normalise.ts';
import { parseBody } from '../core/parse-body.ts';
import type { Candidate, Store } from '../store/store.ts';
import type { Watcher } from '../watch/watcher.ts';

export interface IngestParts extends AuthenticationParts {
	reading: Reading;
	dedup: DedupConfig;
	store: Store;
	watcher: Watcher | null;
}

/** `POST /events`, once authenticated: normalise, store. 200 means committed. */
export function ingest(parts: IngestParts): RequestHandler {
	return async (request, response) => {
		const now = parts.clock.now();
		const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
		const raws = parseBody(body, request.get('content-type'), parts.reading);
		const { signsBody } = response.locals as Authenticated;
		const { reading } = parts;
		const headers = signsBody ? request.headers : withoutEventIds(request.headers, reading);
		const candidates = raws.map((raw, index) =>
			toCandidate(raw, headersOf(headers, index, reading), parts, now),
		);
		const { accepted, duplicates, asks } = await parts.store.ingest(candidates, now);
		response.locals.log = { accepted, duplicates };
		parts.metrics.countEvents('accepted', accepted);
		parts.metrics.countEvents('duplicate', duplicates);
		response.json({ accepted, duplicates });
		if (asks) parts.watcher?.wake();
	};
}

function toCandidate(
	raw: unknown,
	headers: Headers,
	{ reading, dedup }: Pick<IngestParts, 'reading' | 'dedup'>,
	now: number,
): Candidate {
	const normalised = normalise(raw, headers, reading);
	return {
		event: { ...normalised.event, receivedAt: new Date(now).toISOString() },
		duplicateKey: duplicateKey(normalised, dedup),
	};
}
