import { provableEvents } from '../messages/evidence.ts';
import { nextStatus, possibleTriggers, type Trigger } from '../delivery/lifecycle.ts';
import { isLetterVisible } from '../delivery/mails.ts';
import { isTrackedMail, type Customer, type Mail, type Message } from '../state/model.ts';
import { action, card, facts, mailFrame, timeline } from './card.ts';
import { logoImage } from './customer-card.ts';
import { html, type Html } from '../html/html.ts';
import { contactName, readableSize, readableTime } from '../html/readable.ts';

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
				['Type', `${TYPES[message.type]} (${message.type})`],
				['Message', message.id],
				['File', message.fileReference],
				['Customer', message.customerReference],
				['Resend of', message.resendOf],
			])}
			<p class="more">
				<a href="/log?messageId=${message.id}">Requests and webhooks</a>
			</p>`,
	});
}

const TYPES = {
	LRE: 'Registered letter',
	LS: 'Simple letter',
	AS: 'Simplified notice',
	AES: 'Tracked mail',
	MT: 'Tracked mail',
};

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
		<p class="subject">${taken ? `${TYPES[message.type]} from ${sender.name}` : mail.subject}</p>
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
		<ul class="attachments evidences" aria-label="Evidence">
			${items}
		</ul>`;
}

const download = (path: string, name: string, note: string, file: string): Html =>
	html`<li>
		<a href="${path}" download="${file}"><span>${name}</span> <small>${note}</small></a>
	</li>`;

const BY_RECIPIENT: Partial<Record<Trigger, string>> = {
	open: 'Open',
	accept: 'Accept',
	refuse: 'Refuse',
};
const BY_NETWORK: Partial<Record<Trigger, string>> = {
	deliver: 'Deliver',
	bounce: 'Bounce',
	fail: 'Fail',
	expire: 'Expire',
};

function buttons(message: Message, hasMail: boolean): Html {
	const possible = possibleTriggers(message.type, message.status).filter(
		(trigger) =>
			trigger === 'deliver' || nextStatus(message.type, message.status, trigger) !== message.status,
	);
	const group = (names: typeof BY_RECIPIENT, style: string) =>
		possible
			.filter((trigger) => names[trigger])
			.filter((trigger) => !(trigger === 'deliver' && hasMail && message.status !== 'UNDELIVERED'))
			.map((trigger) =>
				action(
					`/messages/${message.id}/${trigger}`,
					names[trigger] ?? trigger,
					trigger === 'refuse' ? 'plain' : style,
				),
			);
	const recipient = hasMail ? group(BY_RECIPIENT, 'primary') : [];
	const network = group(BY_NETWORK, 'small');
	const isSilent = recipient.length > 0 && !isTrackedMail(message.type);
	return html`<div class="buttons">
			${recipient}
			${network.length > 0
				? html`<span class="network" title="What the mail network would do">${network}</span>`
				: null}
		</div>
		${isSilent ? html`<p class="quiet">Makes no webhook: the service has none for this.</p>` : null}`;
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
