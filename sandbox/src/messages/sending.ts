import { z } from 'zod/v4';
import { requireAccepted } from '../customers/customer.ts';
import { json, serviceEndpoint } from '../endpoint/endpoint.ts';
import { requireCertificate } from '../http/authentication.ts';
import { readContacts, recipientSchema } from '../http/contacts.ts';
import { invalid, serviceError, type FieldError } from '../http/errors.ts';
import { checked } from '../http/field-errors.ts';
import { asAttachment } from '../http/upload.ts';
import {
	isTrackedMail,
	messageRecord,
	MESSAGE_TYPES,
	type Caller,
	type Message,
	type MessageType,
} from '../state/model.ts';
import { named, optional } from '../state/schemas.ts';
import type { World } from '../world/world.ts';
import { isEmptyBody, sanitizeBody, textLength, TRACKED_TEXT } from './letter-body.ts';
import { messageId } from './message-ids.ts';
import { newMessage } from './message-record.ts';
import { checkSchedule, scheduledAt } from './schedule.ts';

const reference = optional(z.string().max(1000));

/**
 * Section Send request: what the sender says of the letter, whoever gets it. The record of a message
 * has each of them.
 */
export const letterMembers = {
	type: z.enum(MESSAGE_TYPES),
	body: z.string().min(1),
	fileReference: reference,
	customerReference: reference,
	sender: optional(z.uuid()),
	includeSenderLogo: optional(z.boolean(), false),
} satisfies Partial<Record<keyof Message, object>>;

const sendRequest = z.object({
	...letterMembers,
	recipients: z.array(recipientSchema).min(1),
	scheduledAt: optional(scheduledAt),
});

const sentBatch = named(
	'SentBatch',
	messageRecord
		.pick({ body: true, createdAt: true, type: true, customerReference: true, fileReference: true })
		.extend({ messages: z.array(z.object({ id: messageId })) }),
);

/** Section POST /messages/bulk_send. */
export const sendMessages = serviceEndpoint({
	method: 'post',
	path: '/messages/bulk_send',
	id: 'sendMessages',
	summary: 'Send one message per recipient',
	body: sendRequest,
	files: { field: 'attachments', described: 'any' },
	answer: json(sentBatch, 201),
	errors: {
		405: ['lre-must-use-mtls'],
		422: [
			'message-bad-contacts',
			'customer-not-found',
			'customer-not-registered',
			'lre-for-customer-unavailable',
		],
	},
	/** The type is read first: it decides whether a certificate is required (rule SEND-03). */
	permit({ store, clock }, { caller, sent }) {
		const { type } = checked(sendRequest.pick({ type: true }), sent);
		if (type === 'LRE') requireCertificate(store, caller, clock.now());
	},
	handle(world, { caller, body: { recipients, ...sent }, files }) {
		const attachments = files.map(asAttachment);
		const body = sanitizeBody(sent.body);
		const problems = [
			...bodyProblems(body, sent.type),
			...attachmentProblems(attachments.length, sent.type),
			...checkSchedule(sent.scheduledAt, world.clock.now()),
		];
		if (problems.length > 0) throw invalid(...problems);
		const contacts = readContacts(recipients, sent.type);
		const sender = readSender(world, caller, sent);
		const at = sent.scheduledAt === null ? null : Date.parse(sent.scheduledAt);
		const letter = { ...sent, body, sender, scheduledAt: at, attachments };
		const messages = contacts.map((contact) => {
			const message = newMessage(world, caller.account, letter, contact);
			world.deliveries.begin(message);
			return message;
		});
		return { ...letter, createdAt: messages[0]!.createdAt, messages };
	},
});

/** Rules SEND-06 and SEND-10. */
function readSender(
	{ store }: World,
	{ account }: Caller,
	{ sender, type }: { sender: string | null; type: MessageType },
) {
	if (sender === null) return null;
	const { id } = requireAccepted(store, account, sender);
	if (type !== 'LRE') return id;
	// The interface shows no code for this.
	const why = 'LRE can not be sent for a customer at present';
	throw serviceError(422, 'lre-for-customer-unavailable', why);
}

/** Rules SEND-04 and AES-03. */
function bodyProblems(body: string, type: MessageType): FieldError[] {
	const field = 'body';
	if (isEmptyBody(body))
		return [{ field, rule: 'required', message: 'body is empty after sanitization' }];
	if (!isTrackedMail(type)) return [];
	const length = textLength(body);
	if (length.seen < TRACKED_TEXT.min)
		return [{ field, rule: 'minLength', message: 'body text must have at least 2 characters' }];
	if (length.all > TRACKED_TEXT.max)
		return [{ field, rule: 'maxLength', message: 'body text must have at most 10000 characters' }];
	return [];
}

/** Rule AES-02. */
function attachmentProblems(fileCount: number, type: MessageType): FieldError[] {
	if (!isTrackedMail(type) || fileCount <= 1) return [];
	const message = `${type} takes at most 1 attachment`;
	return [{ field: 'attachments', rule: 'maxLength', message }];
}
