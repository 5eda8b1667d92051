import { z } from 'zod/v4';
import { CONSENT_STATES, CONSENT_TYPES, CUSTOMER_STATES, MESSAGE_TYPES } from '../state/model.ts';
import { evidenceTypeSchema } from '../messages/reading.ts';

/** Response schemas, for the interface's description; request schemas live with their readers. */

const time = z.iso.datetime();
export const messageId = z.string().regex(/^\d{12}$/);
const reference = z.string().nullable();

export const sentSchema = z.strictObject({
	body: z.string(),
	createdAt: time,
	type: z.enum(MESSAGE_TYPES),
	customerReference: reference,
	fileReference: reference,
	messages: z.array(z.strictObject({ id: messageId })),
});

export const messageSchema = z.strictObject({
	id: messageId,
	status: z.string(),
	evidences: z.array(z.strictObject({ url: z.url(), eventType: evidenceTypeSchema })),
});

export const evidenceLinkSchema = z.strictObject({ url: z.url() });

export const rescheduledSchema = z.strictObject({
	scheduledAt: time,
	messages: z.array(z.strictObject({ id: messageId })),
});

export const cancelledSchema = rescheduledSchema.omit({ scheduledAt: true });

export const customerSchema = z.strictObject({
	id: z.uuid(),
	name: z.string(),
	email: z.string(),
	isPaying: z.boolean(),
	willSendLre: z.boolean(),
	state: z.enum(CUSTOMER_STATES),
	delegationToken: z.string(),
	userId: z.uuid(),
	createdAt: time,
	updatedAt: time,
});

export const logoSchema = z.strictObject({ logoUrl: z.url() });

export const consentSchema = z.strictObject({
	id: z.uuid(),
	type: z.enum(CONSENT_TYPES),
	state: z.enum(CONSENT_STATES),
	delayInDays: z.number().int().nullable(),
	email: z.string(),
	firstName: z.string().nullable(),
	lastName: z.string().nullable(),
	company: z.string().nullable(),
	identifier: z.string().nullable(),
	identifierType: z.enum(['SIREN', 'BCE']).nullable(),
	sender: z.uuid().nullable(),
	consentUrl: z.url().nullable(),
	createdAt: time,
});

export const remindedSchema = z.strictObject({ message: z.string() });

const count = z.number().int().min(0);
export const pageOf = <T extends z.ZodType>(item: T) =>
	z.strictObject({
		data: z.array(item),
		meta: z.strictObject({
			total: count,
			perPage: count,
			currentPage: count,
			lastPage: count,
			firstPage: count,
		}),
	});

const fieldErrorSchema = z.strictObject({
	field: z.string(),
	rule: z.string(),
	message: z.string(),
});

const contactErrors = z.array(
	fieldErrorSchema.extend({ index: z.number().int(), email: z.string().nullable() }),
);

/** Section Errors: `{message, code}`, with one more member for some codes. */
export const errorSchema = z.strictObject({
	message: z.string(),
	code: z.string(),
	data: z.union([contactErrors, z.strictObject({ errors: z.array(fieldErrorSchema) })]).optional(),
	invalidRecipients: contactErrors.optional(),
});

/** Malformed path parameters. */
export const pathErrorSchema = z.strictObject({ errors: z.array(fieldErrorSchema).min(1) });
