import {
	isTrackedMail,
	type Attachment,
	type Consent,
	type Customer,
	type Mail,
	type Message,
} from './model.ts';
import { html, type Html } from '../page/html.ts';
import { readableSize } from '../page/readable.ts';

/** Rule AES-05. */
export const ATTACHMENT_LINK_MS = 60 * 86_400_000;

/** A mail not yet in a mailbox. */
export type MailContent = Pick<Mail, 'to' | 'subject' | 'html'> &
	Partial<Pick<Mail, 'links' | 'messageId' | 'customerId' | 'consentId'>>;

/** Where the links in a mail lead: path and query, the same at both addresses of the sandbox. */
export interface MailLinks {
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

const linkTo = (path: string, name: string): Html => html`<p><a href="${path}">${name}</a></p>`;

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

/** The mail a customer gets when a reseller requests the delegation (rule CUST-01). */
export const delegationMail = (
	{ name, email }: Customer,
	reseller: string,
	path: string,
): MailContent => ({
	to: email,
	subject: `${reseller} asks to send letters on your behalf`,
	html: html`<p>Dear ${name},</p>
		<p>${reseller} asks to send registered mail in your name. Accept or refuse it.</p>
		${linkTo(path, 'Answer')}`.text,
});

/** The mail a contact gets when its consent is requested (rule CONS-09), and as a reminder. */
export const consentMail = (
	{ contact }: Consent,
	sender: string,
	prefix: string,
	path: string,
): MailContent => ({
	to: contact.email,
	subject: `${prefix}${sender} asks for your consent`,
	html: html`<p>${sender} asks to send you letters in electronic form. Do you agree?</p>
		${linkTo(path, 'Answer')}`.text,
});

/** The letter is visible once it may be read: tracked mail at once, others when taken. */
export const isLetterVisible = ({ type, status }: Message): boolean =>
	isTrackedMail(type) || status === 'RECEIVED' || status === 'ACCEPTED';
