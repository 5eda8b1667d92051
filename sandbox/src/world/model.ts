/** The sandbox's data model. Times are epoch milliseconds of the virtual clock. */

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

export interface Contact {
	email: string;
	firstname: string | null;
	lastname: string | null;
	company: string | null;
	identifier: string | null;
	identifierType: 'SIREN' | 'BCE' | null;
}

export interface Attachment {
	id: string;
	name: string;
	contentType: string;
	size: number;
	sha256: string;
	/** Path of the bytes on disk; never leaves the process. */
	path: string;
}

/** One event in a message's history, with the resulting status. */
export interface HistoryEntry {
	at: number;
	what: string;
	status: MessageStatus;
}

export interface Message {
	id: string;
	accountId: string;
	/** Customer the message was sent for, or null. */
	sender: string | null;
	type: MessageType;
	status: MessageStatus;
	contact: Contact;
	body: string;
	fileReference: string | null;
	customerReference: string | null;
	includeSenderLogo: boolean;
	attachments: Attachment[];
	createdAt: number;
	scheduledAt: number | null;
	/** The message it resends (section POST /messages/resend), or null. */
	resendOf: string | null;
	/** Time of the real send (rule SCHD-06). */
	sentAt: number | null;
	history: HistoryEntry[];
}

export interface Mail {
	id: string;
	at: number;
	to: string;
	subject: string;
	html: string;
	/** The subject of the mail: one of these three. */
	messageId: string | null;
	customerId: string | null;
	consentId: string | null;
	/** Path and query of the signed download links in the mail (rule AES-05). */
	links: Array<{ name: string; size: number; path: string }>;
}

export type CustomerState = 'PENDING' | 'ACCEPTED' | 'REFUSED' | 'REVOKED' | 'CANCELLED';

export interface Customer {
	id: string;
	accountId: string;
	name: string;
	email: string;
	isPaying: boolean;
	willSendLre: boolean;
	state: CustomerState;
	delegationToken: string;
	userId: string;
	logo: Attachment | null;
	createdAt: number;
	updatedAt: number;
}

export const CONSENT_TYPES = ['EMAIL', 'LINK', 'MANUAL'] as const;
export type ConsentType = (typeof CONSENT_TYPES)[number];

/** `REFUSED` is ours: the interface shows the other two. */
export const CONSENT_STATES = ['PENDING', 'ACCEPTED', 'REFUSED'] as const;
export type ConsentState = (typeof CONSENT_STATES)[number];

export interface Consent {
	id: string;
	accountId: string;
	/** Customer it was asked for, or null. */
	sender: string | null;
	type: ConsentType;
	state: ConsentState;
	delayInDays: number | null;
	contact: Contact;
	createdAt: number;
	answeredAt: number | null;
}

export interface RegisteredCertificate {
	/** SHA-256 fingerprint in Node's format: upper-case hex pairs with colons. */
	fingerprint: string;
	expiresAt: number;
	firstUsedAt: number | null;
	/** PEM, with the chain after it if there is one. */
	certificate: string;
	/** Null if it was made elsewhere and its owner kept it. */
	key: string | null;
}

export interface Account {
	id: string;
	/** The account's name in the sandbox. */
	name: string;
	/** The sender as recipients see it. */
	company: string;
	role: 'direct' | 'reseller';
	token: string;
	/** The sender's identity verification is complete and still valid. */
	kyc: boolean;
	/** Resends are answered 402 (rule RSND-06). */
	paymentRefused: boolean;
	certificates: RegisteredCertificate[];
}
