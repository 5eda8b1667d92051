import { html, type Html } from '../html/html.ts';
import { readableSize } from '../html/readable.ts';
import type { Clock } from '../state/clock.ts';
import { newId } from '../state/ids.ts';
import { isTrackedMail, type Attachment, type Mail, type Message } from '../state/model.ts';
import type { Store } from '../state/store.ts';

/** Rule AES-05. */
export const ATTACHMENT_LINK_MS = 60 * 86_400_000;

/** A mail not yet in a mailbox. */
type MailContent = Pick<Mail, 'to' | 'subject' | 'html'> &
	Partial<Pick<Mail, 'links' | 'messageId' | 'customerId' | 'consentId'>>;

/** What puts a mail into a mailbox. */
interface PostOffice {
	clock: Clock;
	store: Store;
}

/** Puts a mail into a mailbox now. */
export function postMail({ clock, store }: PostOffice, mail: MailContent): void {
	const { to, subject, html, links = NO_LINKS } = mail;
	const { messageId = null, customerId = null, consentId = null } = mail;
	// Without spreading, which takes more memory for each of 100,000 mails.
	const posted: Mail = {
		id: newId('mail'),
		at: clock.now(),
		to,
		subject,
		html,
		messageId,
		customerId,
		consentId,
		links,
	};
	store.put('mails', posted);
}

const NO_LINKS: Mail['links'] = [];

/** Where the links in a mail lead: path and query, the same at both addresses of the sandbox. */
interface MailLinks {
	attachment: (attachment: Attachment) => string;
	letter: string;
}

/** The mail a recipient gets for a message. */
export function mailOf(message: Message, senderName: string, link: MailLinks): MailContent {
	const to = message.contact.email;
	if (isTrackedMail(message.type)) {
		const links = message.attachments.map((attachment) => ({
			name: attachment.name,
			size: attachment.size,
			path: link.attachment(attachment),
		}));
		const content = message.body + attached(links);
		return { to, subject: `Message from ${senderName}`, html: content, links };
	}
	const { subject, text } = NOTICES[message.type](senderName);
	return {
		to,
		subject,
		html: html`<p>${text}</p>
			${linkTo(link.letter, 'Go to the letter')}`.text,
	};
}

/** Rule AES-05: without a file, the mail is the body alone. */
function attached(links: Mail['links']): string {
	if (links.length === 0) return '';
	const items = links.map(
		({ name, size, path }) => html`<li><a href="${path}">${name}</a> (${readableSize(size)})</li>`,
	);
	return html`<hr />
		<p>Attachments</p>
		<ul>
			${items}
		</ul>`.text;
}

export const linkTo = (path: string, name: string): Html =>
	html`<p><a href="${path}">${name}</a></p>`;

const NOTICES = {
	LRE: (sender: string) => ({
		subject: `A registered letter from ${sender} is waiting for you`,
		text: 'An electronic registered letter was sent to you. Accept or refuse it.',
	}),
	LS: (sender: string) => ({
		subject: `A letter from ${sender}`,
		text: 'An electronic letter was sent to you. Open it to read it.',
	}),
	AS: (sender: string) => ({
		subject: `A notice from ${sender}`,
		text: 'A notice was sent to you. Open it to read it.',
	}),
};

/** The letter is visible once it may be read: tracked mail at once, others when taken. */
export const isLetterVisible = ({ type, status }: Message): boolean =>
	isTrackedMail(type) || status === 'RECEIVED' || status === 'ACCEPTED';
