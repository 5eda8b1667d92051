/**
 * The meeting point of receiver and trigger: the events a workflow gets, the subscription a trigger
 * registers, and the request that carries events to it. Imports nothing but `zod/v4`, since it is
 * compiled into the node pack, which ships no dependencies.
 *
 * Source: design, sections Event and Receiver API; service interface, section Events.
 */
import { z } from 'zod/v4';

/** Event types of the receiver, whatever spelling the service used (rules TYPE-06, EVNT-01). */
export const EVENT_TYPES = [
	'tracked_mail.sent',
	'tracked_mail.received',
	'tracked_mail.opened',
	'tracked_mail.undelivered',
	'tracked_mail.failed',
	'lre.failed',
	'unknown',
] as const;

export const eventTypeSchema = z.enum(EVENT_TYPES);
export type EventType = z.infer<typeof eventTypeSchema>;

/** Asks for every event, those of unknown name included (rule EVNT-02). */
export const ANY_EVENT = '*';

export const MESSAGE_TYPES = ['AES', 'MT', 'LRE', 'LS', 'AS'] as const;
export const messageTypeSchema = z.enum(MESSAGE_TYPES);

/** Statuses an event can imply (rules READ-06, STAT-01 to STAT-07). */
export const STATUSES = ['SENT', 'RECEIVED', 'OPENED', 'UNDELIVERED'] as const;

export const eventSchema = z.object({
	/** The receiver's own id, the same on every redelivery. */
	id: z.string().min(1),
	type: eventTypeSchema,
	/** The event name as the service spelled it, or null where none was found. */
	sourceType: z.string().nullable(),
	messageId: z
		.string()
		.regex(/^\d{12}$/)
		.nullable(),
	messageType: messageTypeSchema.nullable(),
	/** The message status this event implies, or null. */
	status: z.string().nullable(),
	/** No further event is expected for the message. */
	terminal: z.boolean(),
	/** A later event may undo this one (an undelivered mail that arrives after all). */
	reversible: z.boolean(),
	/** The service's time, ISO 8601 UTC, or null. */
	occurredAt: z.iso.datetime().nullable(),
	/** The receiver's time, ISO 8601 UTC. */
	receivedAt: z.iso.datetime(),
	fileReference: z.string().nullable(),
	customerReference: z.string().nullable(),
	/** Rises with every event of one receiver. */
	sequence: z.number().int().nonnegative(),
	/** The event as received. */
	raw: z.unknown(),
});
export type DeliveryEvent = z.infer<typeof eventSchema>;

/** Body of the request that brings events to a subscription, signed as Standard Webhooks. */
export const deliveryBodySchema = z.object({ events: z.array(eventSchema).min(1) });
export type DeliveryBody = z.infer<typeof deliveryBodySchema>;

/** Narrows a subscription; every member that is present must match (lists: any of them). */
export const subscriptionFilterSchema = z
	.object({
		messageTypes: z.array(messageTypeSchema).min(1),
		statuses: z.array(z.string().min(1)).min(1),
		fileReference: z.string().min(1),
		customerReference: z.string().min(1),
	})
	.partial()
	.strict();
export type SubscriptionFilter = z.infer<typeof subscriptionFilterSchema>;

/** Body of `PUT /subscriptions/{key}`. */
export const subscriptionSchema = z
	.object({
		url: z.url({ protocol: /^https?$/ }),
		events: z.union([z.tuple([z.literal(ANY_EVENT)]), z.array(eventTypeSchema).min(1)]),
		/** Standard Webhooks secret: `whsec_` and 24 to 64 bytes in base64. */
		secret: z
			.string()
			.regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and 24 to 64 bytes in Base64'),
		filter: subscriptionFilterSchema.optional(),
		batchSize: z.number().int().min(1).max(500).default(1),
		/** ISO 8601; the subscription ends then (test registrations). */
		expiresAt: z.iso.datetime({ offset: true }).nullable().default(null),
	})
	.strict();
export type Subscription = z.infer<typeof subscriptionSchema>;

/** What `PUT` and `GET /subscriptions/{key}` answer: no secret, only what tells whether it changed. */
export const storedSubscriptionSchema = subscriptionSchema.omit({ secret: true }).extend({
	key: z.string(),
	/** First 16 hex digits of SHA-256 over the secret. */
	secretFingerprint: z.string().regex(/^[0-9a-f]{16}$/),
	createdAt: z.iso.datetime(),
	updatedAt: z.iso.datetime(),
});
export type StoredSubscription = z.infer<typeof storedSubscriptionSchema>;

/** Keys name workflow, node, and `test` or `production`, joined by `~`. */
export const subscriptionKeySchema = z.string().regex(/^[A-Za-z0-9._~-]{1,200}$/);
