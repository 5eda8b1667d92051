import type { Request, RequestHandler } from 'express';
import type { Clock } from '../clock.ts';
import { duplicateKey } from '../dedup.ts';
import type { DedupConfig } from '../dedup.ts';
import { HttpError } from '../http-error.ts';
import type { Metrics } from '../metrics.ts';
import { normalise } from '../normalise.ts';
import type { Headers, Reading } from '../normalise.ts';
import { parseBody } from '../parse-body.ts';
import { readBody } from '../read-body.ts';
import type { Candidate, Store } from '../store/store.ts';
import { verify } from '../verify.ts';
import type { Require, Verifier } from '../verify.ts';
import type { Watching } from '../watch/start.ts';
import { clientOf } from './client-of.ts';

export interface IngestParts {
	verifiers: readonly Verifier[];
	require: Require;
	bodyLimitBytes: number;
	reading: Reading;
	dedup: DedupConfig;
	store: Store;
	watching: Watching;
	metrics: Metrics;
	clock: Clock;
}

/** `POST /events`: verify, normalise, store. 200 stands for committed (design § 7). */
export function ingest(parts: IngestParts): RequestHandler {
	return async (request, response) => {
		const now = parts.clock.now();
		const body = await readBody(request, parts.bodyLimitBytes);
		const signed = { headers: request.headers, body, now, client: clientOf(request) };
		const refusal = await verify(parts.verifiers, signed, parts.require);
		if (refusal !== null) {
			response.locals.log = { refusal };
			parts.metrics.countEvents('refused', 1);
			throw new HttpError(401, 'unauthorized', 'The request is not authenticated.');
		}
		const candidates = parseBody(body, request.get('content-type')).map((raw, index) =>
			toCandidate(raw, eventHeaders(request, index), parts, now),
		);
		const { accepted, duplicates, asks } = await parts.store.ingest(candidates, now);
		response.locals.log = { accepted, duplicates };
		parts.metrics.countEvents('accepted', accepted);
		parts.metrics.countEvents('duplicate', duplicates);
		response.json({ accepted, duplicates });
		if (asks) parts.watching?.watcher.wake();
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

/** An event id in the headers names the whole request: its later events are told apart by place. */
function eventHeaders(request: Request, index: number): Headers {
	if (index === 0) return request.headers;
	const numbered = (value: string | string[] | undefined) =>
		value && `${value.toString()}#${index}`;
	return {
		...request.headers,
		'webhook-id': numbered(request.headers['webhook-id']),
		'x-event-id': numbered(request.headers['x-event-id']),
	};
}
