import express, { Router } from 'express';
import type { Request, Response } from 'express';
import helmet from 'helmet';
import { z } from 'zod/v4';
import type { Clock } from '../time/clock.ts';
import { equalInConstantTime } from '../core/fingerprint.ts';
import { HttpError } from '../core/http-error.ts';
import type { Html } from './html.ts';
import { messagePage } from './message.ts';
import { loginPage, overview } from './overview.ts';
import { SESSION_MS, createSessions, readCookie } from './session.ts';
import { STYLE } from './style.ts';
import { BATCH_STATES } from '../pull/consumer-store.ts';
import type { Store } from '../store/store.ts';
import { anyEqual } from '../core/verifiers/shared-secret.ts';
import type { Watcher } from '../watch/watcher.ts';
import type { Guesses } from '../http/guesses.ts';

export interface PageParts {
	managementTokens: readonly string[];
	guesses: Guesses;
	store: Store;
	watcher: Watcher | null;
	clock: Clock;
}

const COOKIE = 'receiver_session';
const SPAN_MS = 30 * 60_000;
const SPANS = 48;
const ROWS = 20;

/** Our own style sheet and forms, and nothing else: no script, no frames, no other origin. */
const HEADERS = helmet({
	contentSecurityPolicy: {
		useDefaults: false,
		directives: {
			defaultSrc: ["'none'"],
			styleSrc: ["'self'"],
			formAction: ["'self'"],
			baseUri: ["'none'"],
			frameAncestors: ["'none'"],
		},
	},
	referrerPolicy: { policy: 'no-referrer' },
	// Other programs below this name are not ours to decide for.
	strictTransportSecurity: { includeSubDomains: false },
});

/** Of one message; only a sender that repeats itself makes more. */
const MOST_EVENTS = 200;

const messageIdSchema = z.string().regex(/^\d{12}$/);
const stateSchema = z.enum(BATCH_STATES).nullable().catch(null);

/** `GET /`: the operator page, behind a login with a management token (design § 7). */
export function pageRoutes(parts: PageParts): Router {
	const { managementTokens, guesses, store, clock, watcher } = parts;
	const sessions = createSessions(managementTokens, store);
	const sessionOf = async (request: Request) => {
		const session = readCookie(request.headers.cookie, cookieName(request));
		return (await sessions.isOpen(session, clock.now())) ? session : null;
	};
	const router = Router();
	router.all(['/', '/messages/:id', '/page/{*rest}'], HEADERS);

	router.get('/page/style.css', (_request, response) => {
		response.type('css').set('cache-control', 'public, max-age=300').send(STYLE);
	});

	router.get('/', async (request, response) => {
		const session = await sessionOf(request);
		if (session === null) return sendPage(response, loginPage(null));
		const state = stateSchema.parse(request.query.state ?? null);
		const now = clock.now();
		const activityFrom = now - SPANS * SPAN_MS;
		const [consumers, activity, events, batches, figures] = await Promise.all([
			store.consumers.list(now),
			store.activity(activityFrom, SPAN_MS),
			store.events({ limit: ROWS, before: null }),
			store.consumers.batches({ limit: ROWS, before: null, state }),
			store.watching.figures(),
		]);
		const data = {
			...{ now, consumers, activity, activityFrom, events, batches, state },
			...{ spanMs: SPAN_MS, spans: SPANS },
			watching: watcher && figures,
			formToken: sessions.formToken(session),
		};
		sendPage(response, overview(data));
	});

	router.get('/messages/:id', async (request, response) => {
		const session = await sessionOf(request);
		if (session === null) return sendPage(response, loginPage(null));
		const messageId = messageIdSchema.safeParse(request.params.id);
		if (!messageId.success) throw new HttpError(404, 'not-found', 'A message id has 12 digits.');
		const [events, shown, record] = await Promise.all([
			store.eventsOf(messageId.data, MOST_EVENTS),
			store.watching.get(messageId.data),
			store.watching.record(messageId.data),
		]);
		const watch = shown && record && { shown, record };
		const formToken = sessions.formToken(session);
		sendPage(response, messagePage({ messageId: messageId.data, events, watch, formToken }));
	});

	const readForm = express.urlencoded({ extended: false, limit: '4kb' });
	router.post('/page/login', readForm, (request, response) => {
		const { token: given = '' } = (request.body ?? {}) as { token?: string };
		const token = String(given);
		guesses.admit(request, response);
		if (!anyEqual(token, managementTokens)) {
			guesses.noteWrong(request, response, token);
			return sendPage(response.status(401), loginPage('That is not a management token.'));
		}
		guesses.noteRight(request);
		const session = sessions.open(token, clock.now());
		const options = { ...cookieOptions(request), maxAge: SESSION_MS };
		response.cookie(cookieName(request), session, options).redirect(303, '/');
	});

	// SameSite keeps the cookie from other sites' forms; the token in the form is the second lock.
	router.post('/page/{*rest}', readForm, async (request, _response, next) => {
		const session = await sessionOf(request);
		if (session === null) throw new HttpError(401, 'unauthorized', 'Log in first.');
		const { form = '' } = (request.body ?? {}) as { form?: string };
		if (!equalInConstantTime(String(form), sessions.formToken(session))) {
			throw new HttpError(403, 'foreign-form', 'This form does not come from the operator page.');
		}
		next();
	});
	router.post('/page/logout', async (request, response) => {
		await sessions.close(readCookie(request.headers.cookie, cookieName(request)));
		response.clearCookie(cookieName(request), cookieOptions(request)).redirect(303, '/');
	});
	router.post('/page/events/:id/replay', async (request, response) => {
		await store.consumers.replay(request.params.id, clock.now());
		response.redirect(303, '/');
	});
	router.post('/page/deliveries/retry-dead', async (request, response) => {
		const consumer = z.string().nullable().catch(null).parse(request.query.consumer);
		await store.consumers.retryDead({ consumer, from: null, before: null }, clock.now());
		response.redirect(303, '/');
	});
	router.post('/page/watches/:id/end', async (request, response) => {
		await store.watching.end(request.params.id, clock.now());
		response.redirect(303, `/messages/${encodeURIComponent(request.params.id)}`);
	});
	router.post('/page/deliveries/:id/retry', async (request, response) => {
		await store.consumers.retry(request.params.id, clock.now());
		response.redirect(303, '/');
	});

	return router;
}

/** Over TLS the prefix has browsers accept it from this host alone, and only over TLS. */
function cookieName({ secure }: Request): string {
	return secure ? `__Host-${COOKIE}` : COOKIE;
}

function cookieOptions({ secure }: Request) {
	return { httpOnly: true, sameSite: 'strict', path: '/', secure } as const;
}

function sendPage(response: Response, page: Html): void {
	response.set('cache-control', 'no-store').type('html').send(page.text);
}
