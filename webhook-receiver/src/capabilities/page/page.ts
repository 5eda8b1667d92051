import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { Router } from 'express';
import helmet from 'helmet';
import type { Capability } from '../../capability.ts';

/** Beside `src` and `dist`: what it has goes to browsers as it is. */
const FOLDER = fileURLToPath(new URL('../../../page', import.meta.url));

/** What the page takes from packages: by the name it asks for, the package, and where the file is from its main one. */
const PARTS = [
	// To Node the package shows another file than the one for browsers.
	{ name: 'lit-html.js', library: 'lit-html', file: '../lit-html.js' },
	{ name: 'simple.css', library: 'simpledotcss', file: 'simple.min.css' },
];

/** Only our own scripts, style sheets, icon and API: nothing inline, no frames, no other origin. */
const HEADERS = helmet({
	contentSecurityPolicy: {
		useDefaults: false,
		directives: {
			defaultSrc: ["'none'"],
			scriptSrc: ["'self'"],
			styleSrc: ["'self'"],
			imgSrc: ["'self'"],
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
 * the operator enters. A receiver that lacks a part of it takes events all the same, and says here what it lacks.
 */
function pageRoutes(): Router {
	const router = Router();
	router.get(['/', '/page/{*rest}'], HEADERS);
	const parts = PARTS.map((part) => ({ ...part, main: mainFileOf(part.library) }));
	const missing = parts.filter(({ main }) => main === null).map(({ library }) => library);
	if (missing.length > 0) {
		const words = `The receiver runs, but this page can not be shown: ${missing.join(' and ')} is not installed. Run "npm ci" where the receiver was installed, and restart it.`;
		router.get('/', (_request, response) => void response.status(500).type('text').send(words));
	}
	// By root and name: Express refuses an absolute path that has a dot folder in it, as npx's `~/.npm` is.
	router.get('/', (_request, response) => response.sendFile('index.html', { root: FOLDER }));
	for (const { name, main, file } of parts) {
		if (main === null) continue;
		const path = join(dirname(main), file);
		const from = { root: dirname(path) };
		router.get(`/page/${name}`, (_request, response) => response.sendFile(basename(path), from));
	}
	router.use('/page', express.static(FOLDER, { index: false }));
	return router;
}

function mainFileOf(library: string): string | null {
	try {
		return createRequire(import.meta.url).resolve(library);
	} catch {
		return null;
	}
}
