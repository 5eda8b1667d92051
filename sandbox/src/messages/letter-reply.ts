import type { Router } from 'express';
import { replyRoutes } from '../html/reply-routes.ts';
import { FRAME_SANDBOX } from '../html/framed.ts';
import { badge } from '../html/badge.ts';
import type { Choice } from '../html/choices.ts';
import { html, type Html } from '../html/html.ts';
import { TYPE_NAMES } from '../html/readable.ts';
import { ATTACHMENT_LINK_MS, isLetterVisible } from '../delivery/mails.ts';
import { isTrackedMail, type Message } from '../state/model.ts';
import type { World } from '../world/world.ts';
import { EVIDENCE_LINK_MS, provableEvents } from './evidence.ts';
import { nextStatus, type Trigger } from '../delivery/lifecycle.ts';

/** What the recipient can do now that changes something. */
export const letterChoices = ({ type, status }: Message): Array<Choice<Trigger>> =>
	CHOICES.filter(({ answer }) => (nextStatus(type, status, answer) ?? status) !== status);

const CHOICES: Array<Choice<Trigger>> = [
	{ answer: 'open', label: 'Open', follows: 'You read it, and the sender knows.' },
	{
		answer: 'accept',
		label: 'Accept',
		follows: 'You read it, and the sender gets a proof that you accepted it.',
	},
	{
		answer: 'refuse',
		label: 'Refuse',
		follows: 'It stays closed for good, and the sender gets a proof that you refused it.',
	},
];

/**
 * The page behind the link in a letter's notice, where its recipient opens, accepts or refuses it,
 * and then reads it and has its evidence. Tracked mail is read in the mailbox.
 */
export const letterReplyRoutes = (world: World): Router =>
	replyRoutes(world, {
		under: 'messages',
		find: (id) => {
			const message = world.store.messages.get(id);
			return message && !isTrackedMail(message.type) ? message : undefined;
		},
		title: (message) => `${TYPE_NAMES[message.type]} from ${world.store.senderName(message)}`,
		content: (message) =>
			html`<p>For ${message.contact.email}. So far: ${badge(message.status)}</p>
				${isLetterVisible(message) ? letter(world, message) : null} ${evidences(world, message)}`,
		choices: letterChoices,
		give: (message, answer) => void world.deliveries.apply(message, answer),
	});

function letter({ links, clock }: World, { id, body, attachments }: Message): Html {
	const expiresAt = clock.now() + ATTACHMENT_LINK_MS;
	const items = attachments.map((file) =>
		item(links.sign(`/attachments/${id}/${file.id}`, expiresAt), file.name),
	);
	// The frame of a letter: what strangers wrote runs nothing, and its links open in a tab of their own.
	return html`<iframe
			sandbox="${FRAME_SANDBOX}"
			title="Letter"
			srcdoc="${`<base target="_blank">${body}`}"
		></iframe>
		${items.length > 0
			? html`<h2>Attachments</h2>
					<ul>
						${items}
					</ul>`
			: null}`;
}

function evidences({ links, clock }: World, message: Message): Html {
	const expiresAt = clock.now() + EVIDENCE_LINK_MS;
	const items = provableEvents(message).map(({ index, entry }) =>
		item(links.sign(`/evidences/${message.id}/${index}`, expiresAt), `Evidence ${entry.status}`),
	);
	return items.length > 0
		? html`<h2>Evidence</h2>
				<ul>
					${items}
				</ul>`
		: html``;
}

const item = (path: string, name: string): Html => html`<li><a href="${path}">${name}</a></li>`;
