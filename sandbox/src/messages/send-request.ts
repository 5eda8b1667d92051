import { z } from 'zod/v4';
import { judgeContacts, recipientSchema } from '../http/contacts.ts';
import { badContacts, invalid, type FieldError } from '../http/errors.ts';
import { checked } from '../http/field-errors.ts';
import { isEmptyBody, sanitizeBody, textLength, TRACKED_TEXT } from './letter-body.ts';
import { isTrackedMail, MESSAGE_TYPES, type Contact, type MessageType } from '../state/model.ts';
import { checkScheduledAt, scheduledAtSchema } from './schedule-window.ts';

/** Section Send request. `recipients` are checked one by one, so each error names its recipient. */
export const sendRequestSchema = z.object({
	recipients: z.array(z.unknown()).min(1),
	type: z.enum(MESSAGE_TYPES),
	body: z.string(),
	fileReference: z.string().max(1000).nullish(),
	customerReference: z.string().max(1000).nullish(),
	sender: z.uuid().nullish(),
	includeSenderLogo: z.boolean().nullish(),
	scheduledAt: z.string().nullish(),
	/** Files are parts of a multipart body, never JSON. */
	attachments: z.array(z.unknown()).max(0).nullish(),
});

/** The whole request, recipients included. */
export const sendBody = sendRequestSchema.extend({
	body: z.string().min(1),
	recipients: z.array(recipientSchema).min(1),
	scheduledAt: scheduledAtSchema.nullish(),
});

export interface SendRequest {
	type: MessageType;
	contacts: Contact[];
	body: string;
	fileReference: string | null;
	customerReference: string | null;
	sender: string | null;
	includeSenderLogo: boolean;
	scheduledAt: number | null;
}

/** The message type is read first: it decides whether a certificate is required (rule SEND-03). */
export function typeOf(sent: object): MessageType {
	return checked(sendRequestSchema.pick({ type: true }), sent).type;
}

/** Checks everything the request alone can tell (rules SEND, RCPT, AES, SCHD). */
export function readSendRequest(sent: object, fileCount: number, now: number): SendRequest {
	const request = checked(sendRequestSchema, sent);
	const { type, recipients, scheduledAt, ...rest } = request;
	const body = sanitizeBody(rest.body);
	const problems = [...bodyProblems(body, type), ...attachmentProblems(fileCount, type)];
	const schedule = scheduledAt == null ? null : checkScheduledAt(scheduledAt, now);
	if (schedule && 'rule' in schedule) problems.push(schedule);
	if (problems.length > 0) throw invalid(...problems);
	return {
		type,
		contacts: readContacts(recipients, type),
		body,
		fileReference: rest.fileReference ?? null,
		customerReference: rest.customerReference ?? null,
		sender: rest.sender ?? null,
		includeSenderLogo: rest.includeSenderLogo ?? false,
		scheduledAt: schedule && 'at' in schedule ? schedule.at : null,
	};
}

/** Rule SEND-11. */
export function readContacts(recipients: unknown[], type: MessageType): Contact[] {
	const { contacts, wrong } = judgeContacts(recipients, type);
	if (wrong.length > 0) throw badContacts(wrong);
	return contacts;
}

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
export function attachmentProblems(fileCount: number, type: MessageType): FieldError[] {
	if (!isTrackedMail(type) || fileCount <= 1) return [];
	const message = `${type} takes at most 1 attachment`;
	return [{ field: 'attachments', rule: 'maxLength', message }];
}
