import { basename, dirname } from 'node:path';
import express, { type Express, type Request } from 'express';
import { answerErrors, answerUnknownRoute } from './http/answer-errors.ts';
import { holdWire } from './http/wire.ts';
import { controlRoutes } from './control/routes.ts';
import { linkTargets } from './link-targets.ts';
import { provableEvents, sendEvidence } from './messages/evidence.ts';
import { notFound } from './http/errors.ts';
import { refuseOtherSites, type SiteRules } from './http/other-sites.ts';
import { answerPeople } from './html/person-page.ts';
import { isLetterVisible } from './delivery/mails.ts';
import type { World } from './world/world.ts';
import { accountsPage } from './page/accounts-page.ts';
import { sendFramed } from './html/framed.ts';
import { html } from './html/html.ts';
import { PAGE_FOLDER, SIMPLE_CSS } from './html/look.ts';
import type { View } from './page/feed.ts';
import { mailsFragment, mailsPage } from './page/mails-page.ts';
import { entryPage, logFragment, logPage } from './page/log-page.ts';

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
	app.use(holdWire(world));
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
	app.get('/', ({ query }, response) => void response.send(mailsPage(world, viewOf(query))));
	app.get('/fragment', ({ query }, response) => {
		response.send(mailsFragment(world, viewOf(query)));
	});
	app.get('/log', ({ query }, response) => void response.send(logPage(world, texts(query))));
	app.get('/log/fragment', ({ query }, response) => {
		response.send(logFragment(world, texts(query)));
	});
	app.get('/log/:id', ({ params }, response) => void response.send(entryPage(world, params.id)));
	app.get('/accounts', (_request, response) => void response.send(accountsPage(world)));
	// By root and name: Express refuses an absolute path that has a dot folder in it, as npx's `~/.npm` is.
	app.get('/page/simple.css', (_request, response) => {
		response.sendFile(basename(SIMPLE_CSS), { root: dirname(SIMPLE_CSS) });
	});
	app.use('/page', express.static(PAGE_FOLDER, { index: false }));
	letterRoutes(app, world);
	app.use(answerUnknownRoute);
	app.use(answerPeople(html`<p><a href="/">All mails of the sandbox</a></p>`));
	app.use(answerErrors(world.report));
	return app;
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
	app.get('/letters/:id/evidences/:index', async (request, response) => {
		const { id, index } = request.params;
		const message = store.messages.get(id);
		const event = message && provableEvents(message).find((one) => one.index === Number(index));
		if (!event) throw notFound('There is no such evidence');
		await sendEvidence(response, message, event.entry);
	});
}

/** The members of a query that are there once and not empty; anything else means nothing. */
const texts = (query: Request['query']): Partial<Record<string, string>> =>
	Object.fromEntries(
		Object.entries(query).filter(
			(entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
		),
	);

/** What a query such as `?q=ada&before=000000000012` asks for. */
function viewOf(query: Request['query']): View {
	const { q = '', before } = texts(query);
	return { search: q.trim().slice(0, 200), before };
}
