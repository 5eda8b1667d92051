import type { Router, Request, Response } from 'express';
import { choicesOf, type Choice } from './choices.ts';
import { html, type Html } from './html.ts';
import type { Clock } from '../state/clock.ts';
import { replyPath, type RepliedTo, type SignedLinks } from '../state/signed-links.ts';
import { notFound } from '../http/errors.ts';
import { exactRouter } from '../http/exact-router.ts';
import { sendPersonPage } from './person-page.ts';

/** A thing a person can reply to, and its page. */
export interface Reply<Thing, Answer extends string> {
	/** Its first path segment, as in `/consents/{id}/reply`. */
	under: RepliedTo;
	find(id: string): Thing | undefined;
	title(thing: Thing): string;
	/** The text above the buttons. */
	content(thing: Thing): Html;
	/** The answers possible now. */
	choices(thing: Thing): Array<Choice<Answer>>;
	give(thing: Thing, answer: Answer): void;
}

/**
 * Pages behind the links in mails: a short text and a button for each answer, open to anyone with the
 * link. They run no script and load nothing, so they are the same at both addresses.
 */
export function replyRoutes<Thing extends { id: string; createdAt: number }, Answer extends string>(
	{ links, clock }: { links: SignedLinks; clock: Clock },
	reply: Reply<Thing, Answer>,
): Router {
	const route = `/${reply.under}/:id/reply`;
	const findSigned = (request: Request): Thing => {
		const thing = reply.find(String(request.params.id));
		if (!thing || !links.isValid(request.path, request.query, clock.now()))
			throw notFound('This link is not valid, or no longer');
		return thing;
	};
	const sendPage = (response: Response, thing: Thing) => {
		const path = replyPath(links, reply.under, thing);
		const choices = choicesOf(
			reply.choices(thing),
			({ answer, label }) =>
				html`<form method="post" action="${path}&answer=${answer}">
					<button>${label}</button>
				</form>`,
		);
		const title = reply.title(thing);
		const content = html`${reply.content(thing)} ${choices}`;
		response.set('Cache-Control', 'no-store');
		sendPersonPage(response, title, content);
	};
	const router = exactRouter();
	router.get(route, (request, response) => sendPage(response, findSigned(request)));
	router.post(route, (request, response) => {
		const thing = findSigned(request);
		const given = reply.choices(thing).find(({ answer }) => answer === request.query.answer);
		if (given) reply.give(thing, given.answer);
		sendPage(response, thing);
	});
	return router;
}
