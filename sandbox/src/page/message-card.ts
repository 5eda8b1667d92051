import { provableEvents } from '../messages/evidence.ts';
import { nextStatus, possibleTriggers } from '../delivery/lifecycle.ts';
import { letterChoices } from '../messages/letter-reply.ts';
import { isLetterVisible } from '../delivery/mails.ts';
import { isTrackedMail, type Customer, type Mail, type Message } from '../state/model.ts';
import { action, card, facts, mailFrame, timeline } from './card.ts';
import { logoImage } from './customer-card.ts';
import { choicesOf } from '../html/choices.ts';
import { html, type Html } from '../html/html.ts';
import { contactName, readableSize, readableTime, TYPE_NAMES } from '../html/readable.ts';

/** The sender of a message as its recipient sees it. */
interface ShownSender {
	name: string;
	/** The customer it was sent for, or null. */
	customer: Customer | null;
}

/** A message as its recipient sees it: the mail, the possible actions, the history. */
export function messageCard(message: Message, mails: Mail[], sender: ShownSender): Html {
	return card({
		key: message.id,
		name: contactName(message.contact),
		email: message.contact.email,
		status: message.status,
		mail: mailOf(message, mails.at(-1), sender),
		aside: html`${timeline(message.history.map((entry) => happened(message, entry)))}
			${evidences(message)}
			${facts([
				['Type', `${TYPE_NAMES[message.type]} (${message.type})`],
				['Message', message.id],
				['File', message.fileReference],
				['Customer', message.customerReference],
				['Resend of', message.resendOf],
			])}
			<p>
				<a href="/log?messageId=${message.id}">Requests and webhooks</a>
			</p>`,
	});
}

function mailOf(message: Message, mail: Mail | undefined, sender: ShownSender): Html {
	if (!mail) {
		return html`<p class="subject">From ${sender.name}</p>
			<p class="quiet">
				${WITHOUT_MAIL[message.status] ?? 'On its way to the mailbox.'}
				${message.status === 'SCHEDULED' && message.scheduledAt
					? readableTime(message.scheduledAt)
					: null}
			</p>
			${buttons(message, false)}`;
	}
	const visible = isLetterVisible(message);
	const taken = visible && !isTrackedMail(message.type);
	const logo = message.includeSenderLogo && sender.customer ? logoImage(sender.customer) : null;
	return html`${logo}
		<p class="subject">
			${taken ? `${TYPE_NAMES[message.type]} from ${sender.name}` : mail.subject}
		</p>
		${taken
			? mailFrame(`/letters/${message.id}`, 'Letter', 'letter')
			: mailFrame(
					`/mails/${mail.id}`,
					visible ? 'Letter' : 'Notice',
					visible ? 'letter' : 'notice-mail',
				)}
		${taken ? attachments(message) : null} ${buttons(message, true)}`;
}

const WITHOUT_MAIL: Partial<Record<string, string>> = {
	SCHEDULED: 'Held until',
	CANCELLED: 'It was cancelled before its time.',
	FAILED: 'It could not be sent; the mailbox got nothing.',
	UNDELIVERED: 'It bounced; the mailbox got nothing.',
};

/** Those of tracked mail are links in the mail itself. */
function attachments({ id, attachments: files }: Message): Html {
	if (files.length === 0) return html``;
	const items = files.map(({ name, size }, index) =>
		download(`/letters/${id}/attachments/${index}`, name, readableSize(size), name),
	);
	return html`<ul class="attachments" aria-label="Attachments">
		${items}
	</ul>`;
}

function evidences(message: Message): Html {
	const items = provableEvents(message).map(({ index, entry }) =>
		download(
			`/letters/${message.id}/evidences/${index}`,
			entry.status,
			'PDF',
			`evidence-${message.id}-${entry.status}.pdf`,
		),
	);
	if (items.length === 0) return html``;
	return html`<h3>Evidence</h3>
		<ul class="attachments" aria-label="Evidence">
			${items}
		</ul>`;
}

const download = (path: string, name: string, note: string, file: string): Html =>
	html`<li>
		<a href="${path}" download="${file}"><span>${name}</span> <small>${note}</small></a>
	</li>`;

/** What the mail network can do, and what that is called. */
const BY_NETWORK = [
	['deliver', 'Deliver'],
	['bounce', 'Bounce'],
	['fail', 'Fail'],
	['expire', 'Expire'],
] as const;

function buttons(message: Message, hasMail: boolean): Html {
	const { id, type, status } = message;
	const choices = hasMail ? letterChoices(message) : [];
	const possible = possibleTriggers(type, status);
	const network = BY_NETWORK.filter(([trigger]) =>
		trigger === 'deliver'
			? possible.includes(trigger) && (!hasMail || status === 'UNDELIVERED')
			: possible.includes(trigger) && nextStatus(type, status, trigger) !== status,
	);
	const isSilent = choices.length > 0 && !isTrackedMail(type);
	return html`${choicesOf(choices, ({ answer, label }) =>
		action(`/messages/${id}/${answer}`, label),
	)}
	${isSilent ? html`<p class="quiet">Makes no webhook: the service has none for this.</p>` : null}
	${network.length > 0
		? html`<p class="network">
				${network.map(([trigger, name]) => action(`/messages/${id}/${trigger}`, name))} as the mail
				network would
			</p>`
		: null}`;
}

function happened({ type }: Message, { at, what, status }: Message['history'][number]) {
	const kind = isTrackedMail(type) ? 'mail' : 'letter';
	return { at, status, text: WHAT[`${what}:${kind}`] ?? WHAT[what] ?? what };
}

const WHAT: Record<string, string> = {
	scheduled: 'Scheduled',
	rescheduled: 'Rescheduled',
	cancelled: 'Cancelled',
	send: 'Sent',
	'deliver:mail': 'Delivered',
	'deliver:letter': 'Notice delivered',
	open: 'Opened',
	bounce: 'Bounced',
	accept: 'Accepted',
	refuse: 'Refused',
	expire: 'Expired',
	fail: 'Failed',
};
