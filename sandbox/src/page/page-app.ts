import express, { type Express, type Request } from 'express';
import { answerErrors, answerUnknownRoute } from '../http/answer-errors.ts';
import { commitFirst } from '../http/commit-first.ts';
import { controlRoutes } from '../control/routes.ts';
import { linkTargets } from '../link-targets.ts';
import { provableEvents, sendEvidence } from '../messages/evidence.ts';
import { notFound } from '../http/errors.ts';
import { allowOrigins, refuseOtherSites, type SiteRules } from '../http/other-sites.ts';
import { isLetterVisible } from '../world/mails.ts';
import type { World } from '../world/world.ts';
import { accountsPage } from './accounts-page.ts';
import { sendFramed } from './framed.ts';
import { ICON } from './icon.ts';
import type { View } from './listing.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';
import { mailsFragment, mailsPage } from './mails-page.ts';
import { readQuery, type Query } from './entry-list.ts';
import { requestPage, requestsFragment, requestsPage } from './requests-page.ts';
import { webhookPage, webhooksFragment, webhooksPage } from './webhooks-page.ts';

const PAGE_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self'",
	"connect-src 'self'",
	"frame-src 'self'",
	"base-uri 'none'",
	"form-action 'self'",
	"frame-ancestors 'none'",
].join('; ');

/** The mails page and the control API, over plain HTTP on loopback; never the service itself. */
export function pageApp(world: World, sites: SiteRules): Express {
	const app = express();
	app.disable('x-powered-by');
	app.use(commitFirst(world));
	app.use(allowOrigins(sites.origins));
	app.use(refuseOtherSites(sites));
	app.use((_request, response, next) => {
		response.set('Content-Security-Policy', PAGE_POLICY);
		response.set('X-Content-Type-Options', 'nosniff');
		response.set('Referrer-Policy', 'no-referrer');
		response.set('Cache-Control', 'no-store');
		next();
	});
	app.use('/_sandbox', controlRoutes(world));
	app.use(linkTargets(world));
	app.get('/', (request, response) => void response.send(mailsPage(world, viewOf(request.query))));
	app.get(
		'/fragment',
		(request, response) => void response.send(mailsFragment(world, viewOf(request.query))),
	);
	journalPages(app, world);
	app.get('/accounts', (_request, response) => void response.send(accountsPage(world)));
	app.get('/page.css', (_request, response) => void response.type('css').send(STYLE));
	app.get('/page.js', (_request, response) => void response.type('js').send(SCRIPT));
	app.get('/icon.svg', (_request, response) => void response.type('svg').send(ICON));
	letterRoutes(app, world);
	app.get('/letters/:id/evidences/:index', async (request, response) => {
		const { id, index } = request.params;
		const message = world.store.messages.get(id);
		const event = message && provableEvents(message).find((one) => one.index === Number(index));
		if (!event) throw notFound('There is no such evidence');
		await sendEvidence(response, message, event.entry);
	});
	app.use(answerUnknownRoute);
	app.use(answerErrors(world.report));
	return app;
}

/** Each list with its cards alone, which the script swaps in, and one entry by its number. */
function journalPages(app: Express, world: World): void {
	const serve = (path: string, page: (world: World, query: Query) => string) =>
		app.get(path, (request, response) => void response.send(page(world, readQuery(request.query))));
	serve('/requests', requestsPage);
	serve('/requests/fragment', requestsFragment);
	serve('/webhooks', webhooksPage);
	serve('/webhooks/fragment', webhooksFragment);
	app.get('/requests/:id', ({ params }, response) => {
		response.send(requestPage(world, params.id));
	});
	app.get('/webhooks/:id', ({ params }, response) => {
		response.send(webhookPage(world, params.id));
	});
}

function letterRoutes(app: Express, { store }: World): void {
	const visibleLetter = (id: string) => {
		const message = store.messages.get(id);
		if (!message || !isLetterVisible(message)) throw notFound('There is no letter to see here');
		return message;
	};
	app.get('/letters/:id', (request, response) => {
		sendFramed(response, 'Letter', visibleLetter(request.params.id).body);
	});
	app.get('/mails/:id', (request, response) => {
		const mail = store.mails.get(request.params.id);
		if (!mail) throw notFound('There is no such mail');
		sendFramed(response, mail.subject, mail.html);
	});
	app.get('/letters/:id/attachments/:index', (request, response) => {
		const file = visibleLetter(request.params.id).attachments[Number(request.params.index)];
		if (!file) throw notFound('There is no such attachment');
		response.type('application/octet-stream').download(file.path, file.name, { dotfiles: 'allow' });
	});
}

/** What a query such as `?q=ada&before=000000000012` asks for; anything else in it means nothing. */
function viewOf({ q, before, after }: Request['query']): View {
	const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
	return { search: text(q)?.trim().slice(0, 200) ?? '', before: text(before), after: text(after) };
}
