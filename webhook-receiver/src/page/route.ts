import express, { Router } from 'express';
import type { Request, Response } from 'express';
import helmet from 'helmet';
import { equalInConstantTime } from '../core/fingerprint.ts';
import { HttpError } from '../core/http-error.ts';
import type { Html } from './html.ts';
import { actionRoutes } from './actions.ts';
import { loginPage } from './overview.ts';
import type { PageParts } from './page-parts.ts';
import { takeFlash } from './flash.ts';
import { SESSION_MS, createSessions, readCookie } from './session.ts';
import { STYLE } from './style.ts';
import { viewRoutes } from './views.ts';
import { anyEqual } from '../core/verifiers/shared-secret.ts';

const COOKIE = 'receiver_session';

/** Only our own style sheet and forms: no script, no frames, no other origin. */
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
	// Other programs may run on subdomains.
	strictTransportSecurity: { includeSubDomains: false },
});

/** `GET /`: the operator page, behind a login with a management token. */
export function pageRoutes(parts: PageParts): Router {
	const { managementTokens, guesses, store, clock } = parts;
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

	viewRoutes(parts).forEach(([path, view]) =>
		router.get(path, async (request, response) => {
			const session = await sessionOf(request);
			if (session === null) return sendPage(response, loginPage(null));
			const here = request.originalUrl;
			const flash = takeFlash(request, response);
			const formToken = sessions.formToken(session);
			sendPage(response, await view(request, { formToken, here, flash, now: clock.now() }));
		}),
	);

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

	// SameSite keeps the cookie from other sites' forms; the form's token is a second check.
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
	router.use(actionRoutes(parts));

	return router;
}

/** Over TLS the prefix makes browsers accept it only from this host, and only over TLS. */
function cookieName({ secure }: Request): string {
	return secure ? `__Host-${COOKIE}` : COOKIE;
}

function cookieOptions({ secure }: Request) {
	return { httpOnly: true, sameSite: 'strict', path: '/', secure } as const;
}

function sendPage(response: Response, page: Html): void {
	response.set('cache-control', 'no-store').type('html').send(page.text);
}
