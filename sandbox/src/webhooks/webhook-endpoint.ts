import { z } from 'zod/v4';

/** How a request is authenticated (rule EVNT-04: the service's own way is not shown). */
const SIGNING = [
	/** `X-Webhook-Timestamp`, and `X-Webhook-Signature: sha256=<hex>` over `<seconds>.<body>`. */
	'timestamped',
	/** `X-Hub-Signature-256: sha256=<hex>` over only the body. */
	'body',
	/** Standard Webhooks; the secret is `whsec_` and Base64. */
	'standard',
	/** The secret itself in `X-Webhook-Secret`. */
	'shared-secret',
	/** HTTP Basic; the secret is `user:password`. */
	'basic',
	/** A detached JWS over the body (HS256, RFC 7797) in `X-JWS-Signature`. */
	'jws',
	/** `Authorization: Bearer <JWT>` (HS256) with `iat` and the SHA-256 of the body in `body_sha256`. */
	'jwt',
	/** The same with ES256; the key is published at `/_sandbox/jwks.json`. */
	'jwks',
	'none',
] as const;

export const webhookEndpointSchema = z
	.strictObject({
		url: z.url({ protocol: /^https?$/ }),
		secret: z.string().min(1),
		signing: z.enum(SIGNING).optional(),
		/** What an event looks like (rule EVNT-03: the service's own payload is not shown). */
		body: z
			.record(z.string(), z.unknown())
			.optional()
			.describe('In place of our own; `{event}` and the like stand for what the event has'),
		headers: z
			.record(z.string(), z.string())
			.optional()
			.describe('More headers, filled in likewise. With the `Content-Type` of a form it is one'),
		/** So many events in one request, as `{events: […]}`. */
		batch: z.number().int().min(2).max(1000).optional(),
		/** How often each request is repeated after it was accepted. */
		duplicates: z.number().int().min(0).max(10).optional(),
		/** Sends newer events before older ones: swaps pairs, reverses batches. */
		reorder: z.boolean().optional(),
		/** How long a batch or a pair waits for more events. */
		waitMs: z.number().int().min(1).max(60_000).optional(),
	})
	.refine(({ signing, secret }) => signing !== 'standard' || secret.startsWith('whsec_'), {
		path: ['secret'],
		message: 'must start with whsec_',
	});

/** Where events go, and which of the possible ways to send them. */
export type WebhookEndpoint = z.infer<typeof webhookEndpointSchema>;
