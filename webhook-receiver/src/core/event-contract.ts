/**
 * Shared by receiver and nodes: the events a workflow gets, and what nodes ask the receiver to
 * watch.
 */
import { z } from 'zod/v4';
import { storable } from './storable.ts';

/**
 * The receiver's event types, whatever the service's spelling (rules TYPE-06, EVNT-01). The service
 * has no webhooks for letters (LRE, LS, AS), for tracked mail that expires or is cancelled, for
 * consents or for customers: those events come from watching.
 */
export const EVENT_TYPES = [
	'tracked_mail.sent',
	'tracked_mail.received',
	'tracked_mail.opened',
	'tracked_mail.undelivered',
	'tracked_mail.expired',
	'tracked_mail.failed',
	'tracked_mail.cancelled',
	'letter.sent',
	'letter.received',
	'letter.accepted',
	'letter.refused',
	'letter.expired',
	'letter.undelivered',
	'letter.failed',
	'letter.cancelled',
	'lre.failed',
	'consent.accepted',
	'consent.refused',
	'customer.accepted',
	'customer.refused',
	'customer.revoked',
	'customer.cancelled',
	'receiver.attention',
	'unknown',
] as const;

const eventTypeSchema = z.enum(EVENT_TYPES);
export type EventType = z.infer<typeof eventTypeSchema>;

/**
 * The receiver needs an operator. Only workflows that name this type get it: those that take every
 * event expect events of the service.
 */
export const RECEIVER_ATTENTION = 'receiver.attention' satisfies EventType;

/**
 * Asks for every event of letters, consents and customers, including those of unknown name (rule
 * EVNT-02).
 */
export const ANY_EVENT = '*';

export const MESSAGE_TYPES = ['AES', 'MT', 'LRE', 'LS', 'AS'] as const;
export const messageTypeSchema = z.enum(MESSAGE_TYPES);
export type MessageType = z.infer<typeof messageTypeSchema>;

/**
 * Statuses an event can imply (rules READ-06, STAT-01 to STAT-07). SCHEDULED is a status too, but
 * nothing has happened yet, so it makes no event.
 */
export const STATUSES = [
	'SENT',
	'RECEIVED',
	'OPENED',
	'ACCEPTED',
	'REFUSED',
	'EXPIRED',
	'UNDELIVERED',
	'CANCELLED',
] as const;

/** `sourceType` of an event made from a change of status. */
export const WATCHED_SOURCE = 'status';

export const messageIdSchema = z.string().regex(/^\d{12}$/, 'must be 12 digits');

/** A UUID (interface, Consent), compared and passed on in lower case. */
export const consentIdSchema = z.guid().toLowerCase();

/** A problem of the receiver that needs an operator, or its end. */
const attentionSchema = z.object({
	/** `workflow-away` and so on (capabilities/attention/decide.ts), or one that only a newer receiver knows. */
	kind: z.string(),
	/** `begun`, and once it is over `resolved`. What was lost only begins. */
	state: z.enum(['begun', 'resolved']),
	/** What happened, in a sentence. */
	text: z.string(),
	/** What to do about it, in a sentence. */
	advice: z.string(),
	/** When it began, ISO 8601 UTC. */
	since: z.iso.datetime(),
	/** The workflow concerned, or null; `url` is where n8n shows it, or null. */
	workflow: z.object({ name: z.string(), node: z.string(), url: z.string().nullable() }).nullable(),
});
export type Attention = z.infer<typeof attentionSchema>;

export const eventSchema = z.object({
	/** The receiver's own id, the same on every redelivery. */
	id: z.string().min(1),
	type: eventTypeSchema,
	/**
	 * The event name as the service spelled it, `status` if watching saw it, or null if none was
	 * found.
	 */
	sourceType: z.string().nullable(),
	messageId: messageIdSchema.nullable(),
	messageType: messageTypeSchema.nullable(),
	/** Only in events of consents. */
	consentId: z.string().optional(),
	/** Only in events of a reseller's customers. */
	customerId: z.string().optional(),
	/** The status of the message that this event implies, the state of the consent or customer, or null. */
	status: z.string().nullable(),
	/** No further event is expected for the message, consent or customer. */
	terminal: z.boolean(),
	/** A later event may reverse this one (an undelivered mail that arrives after all). */
	reversible: z.boolean(),
	/** The service's time, ISO 8601 UTC, or null. */
	occurredAt: z.iso.datetime().nullable(),
	/** The receiver's time, ISO 8601 UTC. */
	receivedAt: z.iso.datetime(),
	fileReference: z.string().nullable(),
	customerReference: z.string().nullable(),
	/** Increases with every event of one receiver. */
	sequence: z.number().int().nonnegative(),
	/** Only in `receiver.attention`. */
	attention: attentionSchema.optional(),
	/** The event as received. */
	raw: z.unknown(),
});
export type DeliveryEvent = z.infer<typeof eventSchema>;

/** Of a letter, as its sender gave it. */
const referenceSchema = z.string().min(1).max(500).transform(storable);

/** Narrows what a consumer wants; every member present must match (lists: any entry). */
export const filterSchema = z
	.object({
		messageTypes: z.array(messageTypeSchema).min(1).max(100),
		statuses: z.array(z.string().min(1).max(100).transform(storable)).min(1).max(100),
		fileReference: referenceSchema,
		customerReference: referenceSchema,
	})
	.partial()
	.strict();
export type Filter = z.infer<typeof filterSchema>;

/** How many messages one `POST /watches` may name. */
const MOST_WATCHES_AT_ONCE = 1000;

/**
 * Body of `PUT /watches/{messageId}`. A missing type is taken from the service's answers. The
 * references are those the letter was sent with: the service does not return them with a status.
 */
export const watchSchema = z
	.object({
		messageType: messageTypeSchema.optional(),
		fileReference: referenceSchema.optional(),
		customerReference: referenceSchema.optional(),
	})
	.strict();
export type Watch = z.infer<typeof watchSchema>;

const letterToWatchSchema = watchSchema.extend({ messageId: messageIdSchema });
export type LetterToWatch = z.infer<typeof letterToWatchSchema>;

/** Body of `POST /watches`. */
export const watchesSchema = z
	.object({ messages: z.array(letterToWatchSchema).min(1).max(MOST_WATCHES_AT_ONCE) })
	.strict();

/** Why a watch ended; null while it goes on. */
const WATCH_ENDS = ['final', 'limit', 'message-not-found', 'removed'] as const;

/** What `PUT` and `GET /watches/{messageId}` return. Times are ISO 8601 UTC. */
export const watchViewSchema = z.object({
	messageId: messageIdSchema,
	messageType: messageTypeSchema.nullable(),
	fileReference: z.string().nullable(),
	customerReference: z.string().nullable(),
	/** The last known status, from webhook or watching; null before the first. */
	status: z.string().nullable(),
	/** When the receiver learned of it. */
	changedAt: z.iso.datetime().nullable(),
	createdAt: z.iso.datetime(),
	polledAt: z.iso.datetime().nullable(),
	/** Null once it has ended. */
	nextPollAt: z.iso.datetime().nullable(),
	/** Why the last poll yielded no status, or null. */
	problem: z.string().nullable(),
	endedAt: z.iso.datetime().nullable(),
	endReason: z.enum(WATCH_ENDS).nullable(),
});
export type WatchView = z.infer<typeof watchViewSchema>;
