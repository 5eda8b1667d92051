import { consentChoices } from '../consents/consent-reply.ts';
import type { Consent, Mail } from '../state/model.ts';
import { action, card, facts, mailFrame, timeline } from './card.ts';
import { choicesOf } from '../html/choices.ts';
import { html, type Html } from '../html/html.ts';
import { contactName } from '../html/readable.ts';

/** A consent as its contact sees it: the mail or the link, and the possible answers. */
export function consentCard(consent: Consent, mails: Mail[], sender: string, link: string): Html {
	const { id, type, state, contact, createdAt, delayInDays } = consent;
	const mail = mails.at(-1);
	const reminders = mails.slice(1).map(({ at }) => ({ at, text: 'Reminded', status: 'pending' }));
	return card({
		key: id,
		name: contactName(contact),
		email: contact.email,
		status: state,
		mail: html`<p class="subject">${mail?.subject ?? `${sender} asks for consent`}</p>
			${mail ? mailFrame(`/mails/${mail.id}`, 'Consent', 'notice-mail') : null}
			${type === 'LINK' ? html`<p class="quiet">By link: <a href="${link}">${link}</a></p>` : null}
			${type === 'MANUAL' ? html`<p class="quiet">Noted by hand; nobody was asked.</p>` : null}
			${choicesOf(consentChoices(consent), ({ answer, label }) =>
				action(`/consents/${id}/${answer}`, label),
			)}`,
		aside: html`${timeline([
			{ at: createdAt, text: ASKED[type], status: 'pending' },
			...reminders,
			...answers(consent),
		])}
		${facts([
			['Consent', id],
			['Type', type],
			['From', sender],
			['Delay', delayInDays === null ? null : `${delayInDays} days`],
		])}`,
	});
}

const ASKED = { EMAIL: 'Asked by e-mail', LINK: 'Link made', MANUAL: 'Noted' };

function answers({ answeredAt, state }: Consent) {
	if (answeredAt === null) return [];
	return [{ at: answeredAt, text: state === 'ACCEPTED' ? 'Agreed' : 'Refused', status: state }];
}
