import { z } from 'zod/v4';
import { CUSTOMER_STATES } from '../customers/customer-states.ts';
import { webhookEndpointSchema } from '../webhooks/webhook-endpoint.ts';
import { CONSENT_STATES, CONSENT_TYPES, MESSAGE_STATUSES, MESSAGE_TYPES } from '../world/model.ts';
import { named } from './named-schemas.ts';

// What the control API shows of the sandbox's state. Times are ISO 8601 in UTC, of the sandbox's clock.

export const time = z.iso.datetime();
const text = z.string().nullable();
const file = z.strictObject({
	id: z.string(),
	name: z.string(),
	contentType: z.string(),
	size: z.number().int(),
	sha256: z.string(),
});
const contact = z.strictObject({
	email: z.string(),
	firstname: text,
	lastname: text,
	company: text,
	identifier: text,
	identifierType: z.enum(['SIREN', 'BCE']).nullable(),
});

export const accountSchema = named(
	'Account',
	z.strictObject({
		id: z.string(),
		name: z.string(),
		company: z.string(),
		role: z.enum(['direct', 'reseller']),
		kyc: z.boolean(),
		paymentRefused: z.boolean(),
		certificates: z.array(
			z.strictObject({ fingerprint: z.string(), expiresAt: time, firstUsedAt: time.nullable() }),
		),
	}),
);

export const customerSchema = named(
	'Customer',
	z.strictObject({
		id: z.string(),
		accountId: z.string(),
		name: z.string(),
		email: z.string(),
		isPaying: z.boolean(),
		willSendLre: z.boolean(),
		state: z.enum(CUSTOMER_STATES),
		userId: z.string(),
		logo: file.nullable(),
		createdAt: time,
		updatedAt: time,
	}),
);

export const consentSchema = named(
	'Consent',
	z.strictObject({
		id: z.string(),
		accountId: z.string(),
		sender: text,
		type: z.enum(CONSENT_TYPES),
		state: z.enum(CONSENT_STATES),
		delayInDays: z.number().int().nullable(),
		contact,
		createdAt: time,
		answeredAt: time.nullable(),
	}),
);

export const messageSchema = named(
	'Message',
	z.strictObject({
		id: z.string(),
		accountId: z.string(),
		sender: text,
		type: z.enum(MESSAGE_TYPES),
		status: z.enum(MESSAGE_STATUSES),
		contact,
		body: z.string(),
		fileReference: text,
		customerReference: text,
		includeSenderLogo: z.boolean(),
		attachments: z.array(file),
		createdAt: time,
		scheduledAt: time.nullable(),
		resendOf: text,
		sentAt: time.nullable(),
		history: z.array(
			z.strictObject({ at: time, what: z.string(), status: z.enum(MESSAGE_STATUSES) }),
		),
	}),
);

export const mailSchema = named(
	'Mail',
	z.strictObject({
		id: z.string(),
		at: time,
		to: z.string(),
		subject: z.string(),
		html: z.string(),
		messageId: text,
		customerId: text,
		consentId: text,
		links: z.array(z.strictObject({ name: z.string(), size: z.number().int(), path: z.string() })),
	}),
);

/** A webhook endpoint without its secret. */
export const shownEndpointSchema = named(
	'WebhookEndpoint',
	z.strictObject(webhookEndpointSchema.shape).omit({ secret: true }),
);

/** All state except secrets: no token, key, path on disk or webhook secret. */
export const stateSchema = named(
	'State',
	z.strictObject({
		now: time,
		accounts: z.array(accountSchema),
		customers: z.array(customerSchema),
		consents: z.array(consentSchema),
		messages: z.array(messageSchema),
		mails: z.array(mailSchema),
		webhooks: z.strictObject({ endpoints: z.array(shownEndpointSchema) }),
	}),
);

/** Everything a person needs to connect as an account: token, certificate and key. */
export const accountAccessSchema = named(
	'AccountAccess',
	z.strictObject({
		id: z.string(),
		name: z.string(),
		company: z.string(),
		role: z.enum(['direct', 'reseller']),
		kyc: z.boolean(),
		token: z.string(),
		certificate: text,
		key: text,
		customers: z.array(
			z.strictObject({ id: z.string(), name: z.string(), state: z.enum(CUSTOMER_STATES) }),
		),
	}),
);
export type AccountAccess = z.infer<typeof accountAccessSchema>;
