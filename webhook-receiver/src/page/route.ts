import express, { Router } from 'express';
import type { Request, Response } from 'express';
import helmet from 'helmet';
import { equalInConstantTime } from '../core/fingerprint.ts';
import { HttpError } from '../core/http-error.ts';
import type { Html } from './html.ts';
import { actionRoutes } from './actions.ts';
import { loginPage } from './overview.ts';
import type { PageParts } from './page-parts.ts';
import { takeSaid } from './said.ts';
import { SESSION_MS, createSessions, readCookie } from './session.ts';
import { STYLE } from './style.ts';
import { viewRoutes } from './views.ts';
import { anyEqual } from '../core/verifiers/shared-secret.ts';
import { rateLimited } from '../http/rate-limited.ts';

const COOKIE = 'receiver_session';
const LOGINS_A_MINUTE = 10;

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

/** `GET /`: the operator page, behind a login with a management token (design § 7). */
export function pageRoutes(parts: PageParts): Router {
	const { managementTokens, clock } = parts;
	const sessions = createSessions(managementTokens[0] ?? '');
	const sessionOf = (request: Request) => {
		const session = readCookie(request.headers.cookie, COOKIE);
		return sessions.isOpen(session, clock.now()) ? session : null;
	};
	const router = Router();
	router.all(['/', '/messages/:id', '/page/{*rest}'], HEADERS);

	router.get('/page/style.css', (_request, response) => {
		response.type('css').set('cache-control', 'public, max-age=300').send(STYLE);
	});

	viewRoutes(parts).forEach(([path, view]) =>
		router.get(path, async (request, response) => {
			const session = sessionOf(request);
			if (session === null) return sendPage(response, loginPage(null));
			const here = request.originalUrl;
			const said = takeSaid(request, response);
			const formToken = sessions.formToken(session);
			sendPage(response, await view(request, { formToken, here, said, now: clock.now() }));
		}),
	);

	const readForm = express.urlencoded({ extended: false, limit: '4kb' });
	router.post('/page/login', rateLimited(LOGINS_A_MINUTE), readForm, (request, response) => {
		const { token = '' } = (request.body ?? {}) as { token?: string };
		if (!anyEqual(String(token), managementTokens)) {
			return sendPage(response.status(401), loginPage('That is not a management token.'));
		}
		const options = { httpOnly: true, sameSite: 'strict', secure: request.secure } as const;
		response.cookie(COOKIE, sessions.open(clock.now()), { ...options, maxAge: SESSION_MS });
		response.redirect(303, '/');
	});

	// SameSite keeps the cookie from other sites' forms; the token in the form is the second lock.
	router.post('/page/{*rest}', readForm, (request, _response, next) => {
		const session = sessionOf(request);
		if (session === null) throw new HttpError(401, 'unauthorized', 'Log in first.');
		const { form = '' } = (request.body ?? {}) as { form?: string };
		if (!equalInConstantTime(String(form), sessions.formToken(session))) {
			throw new HttpError(403, 'foreign-form', 'This form does not come from the operator page.');
		}
		next();
	});
	router.post('/page/logout', (_request, response) => {
		response.clearCookie(COOKIE).redirect(303, '/');
	});
	router.use(actionRoutes(parts));

	return router;
}

function sendPage(response: Response, page: Html): void {
	response.set('cache-control', 'no-store').type('html').send(page.text);
}
