import type { Router, Request, Response } from 'express';
import { exactRouter } from '../http/exact-router.ts';
import { notFound } from '../http/errors.ts';
import { CONSENT_ANSWERS, nextConsentState } from './consent-states.ts';
import type { Consent, ConsentState } from '../world/model.ts';
import { html } from '../page/html.ts';
import type { World } from '../world/world.ts';

const LINK_MS = 3650 * 86_400_000;

/** Path and query of the page where a contact replies; stable for the lifetime of the consent. */
export const consentPath = ({ links }: Pick<World, 'links'>, { id, createdAt }: Consent): string =>
	links.sign(`/consents/${id}/reply`, createdAt + LINK_MS);

/** The page behind a `consentUrl` (rule CONS-09): two buttons, open to anyone with the link. */
export function consentReplyRoutes(world: World): Router {
	const router = exactRouter();
	router.use('/consents/:id/reply', (_request, response, next) => {
		response.set('Content-Security-Policy', "default-src 'none'; form-action 'self'");
		response.set('Cache-Control', 'no-store');
		next();
	});
	router.get('/consents/:id/reply', (request, response) => {
		response.send(page(world, findSigned(world, request)));
	});
	router.post('/consents/:id/reply', (request, response: Response) => {
		const consent = findSigned(world, request);
		const given = CONSENT_ANSWERS.find((name) => name === request.query.answer);
		const state = given && nextConsentState(consent.state, given);
		if (state) answerConsent(world, consent, state);
		response.send(page(world, consent));
	});
	return router;
}

/** Records the contact's answer. */
export function answerConsent(
	{ store, clock }: World,
	consent: Consent,
	state: ConsentState,
): void {
	consent.state = state;
	consent.answeredAt = clock.now();
	store.changed();
}

function findSigned({ store, links, clock }: World, request: Request): Consent {
	const consent = store.consents.get(String(request.params.id));
	if (!consent || !links.isValid(request.path, request.query, clock.now()))
		throw notFound('This link is not valid, or no longer');
	return consent;
}

function page(world: World, consent: Consent): string {
	const buttons = CONSENT_ANSWERS.filter((answer) => nextConsentState(consent.state, answer)).map(
		(answer) =>
			html`<form method="post" action="${consentPath(world, consent)}&answer=${answer}">
				<button>${answer === 'accept' ? 'I agree' : 'I do not agree'}</button>
			</form>`,
	);
	return html`<!doctype html>
		<html lang="en">
			<meta charset="utf-8" />
			<meta name="viewport" content="width=device-width, initial-scale=1" />
			<title>Consent</title>
			<main>
				<h1>Letters in electronic form</h1>
				<p>
					${world.store.senderName(consent)} asks to send you letters to ${consent.contact.email}.
				</p>
				<p>Your answer so far: <strong>${consent.state.toLowerCase()}</strong></p>
				${buttons}
			</main>
		</html>`.text;
}
