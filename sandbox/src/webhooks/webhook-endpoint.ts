import { z } from 'zod/v4';

/** How a request is authenticated (rule EVNT-04: the service's own way is not shown). */
export const SIGNING = [
	/** `X-Webhook-Timestamp`, and `X-Webhook-Signature: sha256=<hex>` over `<seconds>.<body>`. */
	'timestamped',
	/** `X-Hub-Signature-256: sha256=<hex>` over the body alone. */
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

/** Payload shapes of an event (rule EVNT-03: the service's own payload is not shown). */
export const SHAPES = ['flat', 'typed', 'nested', 'header', 'numeric', 'minimal'] as const;

/** Spellings of an event name: `aes_received`, `aes.received`, `AES-RECEIVED`. */
export const NAMING = ['snake', 'dotted', 'dashed-upper'] as const;

export const webhookEndpointSchema = z
	.strictObject({
		url: z.url({ protocol: /^https?$/ }),
		secret: z.string().min(1),
		signing: z.enum(SIGNING).optional(),
		shape: z.enum(SHAPES).optional(),
		naming: z.enum(NAMING).optional(),
		/** Prefix of tracked mail's events, overriding the spelling a message was sent with. */
		spelling: z.enum(['AES', 'MT']).optional(),
		encoding: z.enum(['json', 'form']).optional(),
		/** Several events in one request, as a list or as `{events: […]}`. */
		batch: z
			.strictObject({ size: z.number().int().min(2).max(1000), as: z.enum(['array', 'events']) })
			.optional(),
		/** How often each request is repeated after it was accepted. */
		duplicates: z.number().int().min(0).max(10).optional(),
		/** Sends newer events before older ones: swaps pairs, reverses batches. */
		reorder: z.boolean().optional(),
		/** How long a batch or a pair waits for more events. */
		waitMs: z.number().int().min(1).max(60_000).optional(),
	})
	.refine(({ shape, batch }) => !(shape === 'header' && batch), {
		path: ['batch'],
		message: 'a header names one event, so this shape takes no batch',
	})
	.refine(({ encoding, batch }) => !(encoding === 'form' && batch), {
		path: ['batch'],
		message: 'a form carries one event',
	})
	.refine(({ signing, secret }) => signing !== 'standard' || secret.startsWith('whsec_'), {
		path: ['secret'],
		message: 'must start with whsec_',
	});

/** Where events go, and which of the possible ways to send them. */
export type WebhookEndpoint = z.infer<typeof webhookEndpointSchema>;
