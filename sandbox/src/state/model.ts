import { z } from 'zod/v4';
import { named } from './schemas.ts';
import { iso } from './clock.ts';

// The sandbox's data model, each record said once: what a schema takes is the record, what it makes of
// it is what the control API shows, which leaves out the members that stand beside the schema.

/** Epoch milliseconds of the virtual clock; shown as ISO 8601. */
export const moment = z.number().transform(iso).pipe(z.iso.datetime());
const text = z.string().nullable();

/** Message types; tracked mail keeps the spelling it was sent with (rule TYPE-06). */
export const MESSAGE_TYPES = ['LRE', 'LS', 'AS', 'AES', 'MT'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

export const isTrackedMail = (type: MessageType): type is 'AES' | 'MT' =>
	type === 'AES' || type === 'MT';

/** `FAILED` and `CANCELLED` are ours: the interface shows no status for either. */
export const MESSAGE_STATUSES = [
	'SCHEDULED',
	'SENT',
	'RECEIVED',
	'OPENED',
	'ACCEPTED',
	'REFUSED',
	'UNDELIVERED',
	'EXPIRED',
	'FAILED',
	'CANCELLED',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

const contact = z.object({
	email: z.string(),
	firstname: text,
	lastname: text,
	company: text,
	identifier: text,
	identifierType: z.enum(['SIREN', 'BCE']).nullable(),
});
export type Contact = z.input<typeof contact>;

const attachment = z.object({
	id: z.string(),
	name: z.string(),
	contentType: z.string(),
	size: z.number().int(),
	sha256: z.string(),
});
export interface Attachment extends z.input<typeof attachment> {
	/** Path of the bytes on disk; never leaves the process. */
	path: string;
}

/** One event in a message's history, with the resulting status. */
const historyEntry = z.object({ at: moment, what: z.string(), status: z.enum(MESSAGE_STATUSES) });
export type HistoryEntry = z.input<typeof historyEntry>;

export const messageRecord = named(
	'Message',
	z.object({
		id: z.string(),
		accountId: z.string(),
		/** Customer the message was sent for, or null. */
		sender: text,
		type: z.enum(MESSAGE_TYPES),
		status: z.enum(MESSAGE_STATUSES),
		contact,
		body: z.string(),
		fileReference: text,
		customerReference: text,
		includeSenderLogo: z.boolean(),
		attachments: z.array(attachment),
		createdAt: moment,
		scheduledAt: moment.nullable(),
		/** The message it resends (section POST /messages/resend), or null. */
		resendOf: text,
		/** Time of the real send (rule SCHD-06). */
		sentAt: moment.nullable(),
		history: z.array(historyEntry),
	}),
);
export interface Message extends z.input<typeof messageRecord> {
	attachments: Attachment[];
}

export const mailRecord = named(
	'Mail',
	z.object({
		id: z.string(),
		at: moment,
		to: z.string(),
		subject: z.string(),
		html: z.string(),
		/** The subject of the mail: one of these three. */
		messageId: text,
		customerId: text,
		consentId: text,
		/** Path and query of the signed download links in the mail (rule AES-05). */
		links: z.array(z.object({ name: z.string(), size: z.number().int(), path: z.string() })),
	}),
);
export type Mail = z.input<typeof mailRecord>;

/** Rule CUST-04. */
export const CUSTOMER_STATES = ['PENDING', 'ACCEPTED', 'REFUSED', 'REVOKED', 'CANCELLED'] as const;
export type CustomerState = (typeof CUSTOMER_STATES)[number];

export const customerRecord = named(
	'Customer',
	z.object({
		id: z.string(),
		accountId: z.string(),
		name: z.string(),
		email: z.string(),
		isPaying: z.boolean(),
		willSendLre: z.boolean(),
		state: z.enum(CUSTOMER_STATES),
		userId: z.string(),
		logo: attachment.nullable(),
		createdAt: moment,
		updatedAt: moment,
	}),
);
export interface Customer extends z.input<typeof customerRecord> {
	delegationToken: string;
	logo: Attachment | null;
}

export const CONSENT_TYPES = ['EMAIL', 'LINK', 'MANUAL'] as const;

/** `REFUSED` is ours: the interface shows the other two. */
export const CONSENT_STATES = ['PENDING', 'ACCEPTED', 'REFUSED'] as const;
export type ConsentState = (typeof CONSENT_STATES)[number];

export const consentRecord = named(
	'Consent',
	z.object({
		id: z.string(),
		accountId: z.string(),
		/** Customer it was asked for, or null. */
		sender: text,
		type: z.enum(CONSENT_TYPES),
		state: z.enum(CONSENT_STATES),
		delayInDays: z.number().int().nullable(),
		contact,
		createdAt: moment,
		answeredAt: moment.nullable(),
	}),
);
export type Consent = z.input<typeof consentRecord>;

const certificate = z.object({
	/** SHA-256 fingerprint in Node's format: upper-case hex pairs with colons. */
	fingerprint: z.string(),
	expiresAt: moment,
	firstUsedAt: moment.nullable(),
});
/** The same with the certificate itself, which its owner sees. */
export const certificateRecord = named(
	'Certificate',
	certificate.extend({
		/** PEM, with the chain after it if there is one. */
		certificate: z.string(),
	}),
);
/** A certificate and its private key, both PEM. */
export interface Credentials {
	certificate: string;
	key: string;
}
export interface RegisteredCertificate extends z.input<typeof certificateRecord> {
	key: string;
}

export const accountRecord = named(
	'Account',
	z.object({
		id: z.string(),
		/** The account's name in the sandbox. */
		name: z.string(),
		/** The sender as recipients see it. */
		company: z.string(),
		role: z.enum(['direct', 'reseller']),
		/** The sender's identity verification is complete and still valid. */
		kyc: z.boolean(),
		certificates: z.array(certificate),
	}),
);
export interface Account extends z.input<typeof accountRecord> {
	token: string;
	certificates: RegisteredCertificate[];
}

/** The authenticated caller, resolved before anything else in a request. */
export interface Caller {
	account: Account;
	/** Fingerprint of the client certificate presented, or null. */
	fingerprint: string | null;
}

/** What is kept of each kind. A member that comes later is nullable: older folders lack it. */
export const RECORDS = {
	accounts: accountRecord,
	customers: customerRecord,
	consents: consentRecord,
	messages: messageRecord,
	mails: mailRecord,
};
