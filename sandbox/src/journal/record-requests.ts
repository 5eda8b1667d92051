import type { NextFunction, Request, Response } from 'express';
import { presentedFingerprint } from '../http/authentication.ts';
import { isSameWorld } from '../http/same-world.ts';
import { uploadOf } from '../http/upload.ts';
import { wireOf } from '../http/wire.ts';
import { iso, type Clock } from '../state/clock.ts';
import type { Store } from '../state/store.ts';
import { BodyTap, MAX_TEXT_BYTES } from './body-tap.ts';
import { isSecret, MASK, masked } from './masking.ts';
import type { News } from './news.ts';
import type { Journal } from './journal.ts';
import type { JournalBody, RequestEntry } from './entries.ts';

interface Secretive {
	store: Store;
	webhooks: { endpoints: Array<{ secret: string }> };
}

/** Of a world. */
interface Parts extends Secretive {
	clock: Clock;
	requests: Journal<RequestEntry>;
	news: News;
	generation: number;
}

/** Records every request to the service and its answer in the journal, so that tests see both. */
export const recordRequests =
	(world: Parts) =>
	(request: Request, response: Response, next: NextFunction): void => {
		const { store, clock, requests, news } = world;
		const began = performance.now();
		const token = request.get('x-api-token');
		const account = token === undefined ? undefined : store.accountByToken(token);
		const { method, path, originalUrl, headers } = request;
		const arrived = {
			at: iso(clock.now()),
			method,
			account: account?.name ?? null,
			token: token === undefined ? 'missing' : account ? 'valid' : 'wrong',
			clientCertificate: presentedFingerprint(request) !== null,
		} as const;
		const wire = wireOf(response);
		const sent = new BodyTap();
		wire.onReceived = (bytes) => sent.add(bytes);
		const answered = new BodyTap();
		wire.onSent = (bytes) => answered.add(bytes);
		// Fires on broken connections too, before there is an answer or in the middle of it.
		response.once('close', () => {
			const isAnswer = response.headersSent || Boolean(response.locals.isKeptBack);
			// What belonged to a world that is gone is no part of this one's journal.
			if (!isSameWorld(world, response)) return;
			const secrets = secretsOf(world);
			const upload = uploadOf(request);
			const { body, ...half } = sent.half(headers, secrets);
			requests.add({
				...arrived,
				path: masked(path, secrets),
				url: masked(originalUrl, secrets),
				status: isAnswer ? response.statusCode : null,
				answered: response.writableFinished,
				fault: (response.locals.fault as string | undefined) ?? null,
				duration: Math.round((performance.now() - began) * 10) / 10,
				...half,
				body: body && upload ? withParts(body, upload, secrets) : body,
				answer: answered.half(response.getHeaders(), secrets),
			});
			news.tell('request');
		});
		next();
	};

/** What is masked everywhere. */
export const secretsOf = ({ store, webhooks }: Secretive): string[] => [
	...[...store.accounts.values()].map(({ token }) => token),
	...webhooks.endpoints.map(({ secret }) => secret),
];

/** A copy: a slice would keep the whole text in memory, of which a field may have 20 MB. */
const excerpt = (text: string, length: number): string =>
	text.length <= length ? text : Buffer.from(text.slice(0, length)).toString();

/** The parsed form. */
function withParts(
	body: JournalBody,
	{ fields, files }: NonNullable<ReturnType<typeof uploadOf>>,
	secrets: string[],
): JournalBody {
	let room = MAX_TEXT_BYTES;
	let truncated = false;
	const kept: JournalBody['fields'] = [];
	for (const [name, value] of fields) {
		const shown = isSecret(name) ? MASK : masked(value, secrets);
		if (room > 0)
			kept.push({ name: masked(excerpt(name, 1000), secrets), value: excerpt(shown, room) });
		truncated ||= shown.length > room;
		room -= shown.length + name.length;
	}
	return {
		...body,
		truncated,
		fields: kept,
		files: files.map(({ field, name, contentType, size, sha256 }) => ({
			field,
			name: masked(name, secrets),
			contentType,
			size,
			sha256: sha256 || null,
		})),
	};
}
