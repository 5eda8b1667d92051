import type { Router, Request, Response } from 'express';
import { html, type Html } from '../page/html.ts';
import { replyPath, type RepliedTo } from '../world/signed-links.ts';
import type { World } from '../world/world.ts';
import { notFound } from './errors.ts';
import { exactRouter } from './exact-router.ts';

/** What a person may reply to, and how its page looks; `Answer` names what the buttons stand for. */
export interface Reply<Thing, Answer extends string> {
	/** Its first path segment, as in `/consents/{id}/reply`. */
	under: RepliedTo;
	find(id: string): Thing | undefined;
	title(thing: Thing): string;
	/** What the person reads above the buttons. */
	content(thing: Thing): Html;
	/** The answers that are possible now, and what their buttons say. */
	answers(thing: Thing): Array<[answer: Answer, label: string]>;
	give(thing: Thing, answer: Answer): void;
}

/**
 * Pages behind the links in mails: a few words and a button for each answer, open to anyone with the
 * link. They run no script and load nothing, so they are the same at both addresses.
 */
export function replyRoutes<Thing extends { id: string; createdAt: number }, Answer extends string>(
	world: World,
	reply: Reply<Thing, Answer>,
): Router {
	const { links, clock } = world;
	const route = `/${reply.under}/:id/reply`;
	const findSigned = (request: Request): Thing => {
		const thing = reply.find(String(request.params.id));
		if (!thing || !links.isValid(request.path, request.query, clock.now()))
			throw notFound('This link is not valid, or no longer');
		return thing;
	};
	const sendPage = (response: Response, thing: Thing) => {
		const path = replyPath(links, reply.under, thing);
		const buttons = reply.answers(thing).map(
			([answer, label]) =>
				html`<form method="post" action="${path}&answer=${answer}">
					<button>${label}</button>
				</form>`,
		);
		response.set('Content-Security-Policy', POLICY).set('Cache-Control', 'no-store');
		response.send(
			html`<!doctype html>
				<html lang="en">
					<meta charset="utf-8" />
					<meta name="viewport" content="width=device-width, initial-scale=1" />
					<meta name="color-scheme" content="light dark" />
					<title>${reply.title(thing)}</title>
					${STYLE}
					<main>
						<h1>${reply.title(thing)}</h1>
						${reply.content(thing)}
						<div class="buttons">${buttons}</div>
					</main>
				</html>`.text,
		);
	};
	const router = exactRouter();
	router.get(route, (request, response) => sendPage(response, findSigned(request)));
	router.post(route, (request, response) => {
		const thing = findSigned(request);
		const given = reply.answers(thing).find(([answer]) => answer === request.query.answer);
		if (given) reply.give(thing, given[0]);
		sendPage(response, thing);
	});
	return router;
}

const POLICY = [
	"default-src 'none'",
	"style-src 'unsafe-inline'",
	'img-src data:',
	"form-action 'self'",
	"base-uri 'none'",
	"frame-ancestors 'none'",
].join('; ');

const STYLE = html`<style>
	:root {
		color-scheme: light dark;
		color: light-dark(#22211f, #eceae5);
		background: light-dark(#fffdfa, #15161a);
	}
	a {
		color: light-dark(#2f4b7c, #9db8ec);
	}
	body {
		margin: 0;
		padding: 2rem 1.25rem 4rem;
		font:
			1rem/1.55 system-ui,
			sans-serif;
	}
	main {
		max-width: 38rem;
		margin: 0 auto;
		overflow-wrap: anywhere;
	}
	h1 {
		font:
			600 1.6rem/1.25 Georgia,
			serif;
	}
	.buttons {
		display: flex;
		flex-wrap: wrap;
		gap: 0.75rem;
	}
	button {
		font: inherit;
		font-weight: 600;
		min-height: 2.75rem;
		padding: 0.4rem 1.2rem;
	}
	iframe {
		width: 100%;
		height: 20rem;
		resize: vertical;
		border: 1px solid;
		background: #fff;
		color-scheme: light;
	}
	li {
		padding: 0.25rem 0;
	}
</style>`;
