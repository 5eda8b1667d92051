import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { Router } from 'express';
import helmet from 'helmet';
import type { Capability } from '../../capability.ts';

/** Beside `src` and `dist`: what it has goes to browsers as it is. */
const FOLDER = fileURLToPath(new URL('../../../page', import.meta.url));

/** It has the library for browsers; to Node the package shows another. */
const LIBRARY = join(dirname(createRequire(import.meta.url).resolve('lit-html')), '..');

/** Only our own scripts, style sheet and API: nothing inline, no frames, no other origin. */
const HEADERS = helmet({
	contentSecurityPolicy: {
		useDefaults: false,
		directives: {
			defaultSrc: ["'none'"],
			scriptSrc: ["'self'"],
			styleSrc: ["'self'"],
			connectSrc: ["'self'"],
			formAction: ["'none'"],
			baseUri: ["'none'"],
			frameAncestors: ["'none'"],
			// Text becomes markup only in the library's templates, whose texts are ours.
			requireTrustedTypesFor: ["'script'"],
			trustedTypes: ['lit-html'],
		},
	},
	referrerPolicy: { policy: 'no-referrer' },
	// Other programs may run on subdomains.
	strictTransportSecurity: { includeSubDomains: false },
});

/** The operator page. */
export const page: Capability = {
	name: 'page',
	start: () => ({ publicRoutes: pageRoutes() }),
};

/**
 * `GET /`: the operator page, static: it knows nothing, and asks the API with the management token that
 * the operator enters.
 */
function pageRoutes(): Router {
	const router = Router();
	router.get(['/', '/page/{*rest}'], HEADERS);
	// By root and name: Express refuses an absolute path that has a dot folder in it, as npx's `~/.npm` is.
	router.get('/', (_request, response) => response.sendFile('index.html', { root: FOLDER }));
	router.get('/page/lit-html.js', (_request, response) =>
		response.sendFile('lit-html.js', { root: LIBRARY }),
	);
	router.use('/page', express.static(FOLDER, { index: false }));
	return router;
}
