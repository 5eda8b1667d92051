import type { Router } from 'express';
import { replyRoutes } from '../html/reply-routes.ts';
import { badge } from '../html/badge.ts';
import type { Choice } from '../html/choices.ts';
import { html } from '../html/html.ts';
import type { Consent, ConsentState } from '../state/model.ts';
import type { World } from '../world/world.ts';

export const CONSENT_ANSWERS = ['accept', 'refuse'] as const;
type ConsentAnswer = (typeof CONSENT_ANSWERS)[number];

/** The interface does not show the transitions: here a pending consent is answered at most once. */
function nextConsentState(state: ConsentState, answer: ConsentAnswer): ConsentState | null {
	if (state !== 'PENDING') return null;
	return answer === 'accept' ? 'ACCEPTED' : 'REFUSED';
}

/** What the contact can answer now. */
export const consentChoices = ({ state }: Consent): Array<Choice<ConsentAnswer>> =>
	CHOICES.filter(({ answer }) => nextConsentState(state, answer));

const CHOICES: Array<Choice<ConsentAnswer>> = [
	{ answer: 'accept', label: 'I agree', follows: 'Your letters come in electronic form.' },
	{ answer: 'refuse', label: 'I do not agree', follows: 'No letter comes in electronic form.' },
];

/** The page behind a `consentUrl` and the link in a consent's mail (rule CONS-09). */
export const consentReplyRoutes = (world: World): Router =>
	replyRoutes(world, {
		under: 'consents',
		find: (id) => world.store.consents.get(id),
		title: () => 'Letters in electronic form',
		content: (consent) =>
			html`<p>
					${world.store.senderName(consent)} asks to send you letters to ${consent.contact.email}.
				</p>
				<p>Your answer so far: ${badge(consent.state)}</p>`,
		choices: consentChoices,
		give: (consent, answer) => void answerConsent(world, consent, answer),
	});

/** Records the contact's answer; false if there is one already. */
export function answerConsent(
	{ store, clock }: World,
	consent: Consent,
	answer: ConsentAnswer,
): boolean {
	const state = nextConsentState(consent.state, answer);
	if (!state) return false;
	consent.state = state;
	consent.answeredAt = clock.now();
	store.put('consents', consent);
	return true;
}
