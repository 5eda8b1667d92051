import { z } from 'zod/v4';
import { duration, flag, header, integer, list, networks, secrets, text } from './schemas.ts';

/** How events are authenticated and read (rules EVNT-03, EVNT-04). */
export const INGEST = {
	INGEST_REQUIRE: {
		schema: z.enum(['any', 'all'], 'is neither any nor all').default('any'),
		help: 'any or all of the ways below that are configured must accept a request (any)',
	},
	INGEST_SHARED_SECRETS: {
		schema: secrets.prefault(''),
		secret: true,
		help: 'secrets sent as they are in a header, comma-separated; several while one is rotated',
	},
	INGEST_SHARED_SECRET_HEADER: {
		schema: header.prefault('x-webhook-secret'),
		help: 'header with the shared secret (x-webhook-secret)',
	},
	INGEST_BASIC_USERS: {
		schema: list
			.refine((all) => all.every((one) => /^[^:]+:.{8,}$/.test(one)), {
				message: 'has one that is not user:password with a password of 8 characters or more',
			})
			.prefault(''),
		secret: true,
		help: 'user:password for Basic authentication, comma-separated',
	},
	INGEST_HMAC_SECRETS: {
		schema: secrets.prefault(''),
		secret: true,
		help: 'secrets the service signs with, comma-separated; several while one is rotated',
	},
	INGEST_HMAC_HEADER: {
		schema: header.prefault('x-webhook-signature'),
		help: 'header with the signature (x-webhook-signature)',
	},
	INGEST_HMAC_TIMESTAMP_HEADER: {
		schema: header.prefault('x-webhook-timestamp'),
		help: 'header with the time of signing (x-webhook-timestamp)',
	},
	INGEST_HMAC_ENCODING: {
		schema: z.enum(['hex', 'base64'], 'is neither hex nor base64').default('hex'),
		help: 'hex or base64 (hex)',
	},
	INGEST_HMAC_TEMPLATE: {
		schema: text
			.refine(isTemplate, 'needs {body}; only {timestamp} may stand beside it')
			.default('{timestamp}.{body}'),
		help: 'what is signed ({timestamp}.{body}); without {timestamp} replays are not noticed',
	},
	INGEST_STANDARD_WEBHOOKS_SECRETS: {
		schema: list
			.refine((all) => all.every((one) => /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(one)), {
				message: 'has one that is not whsec_ and 24 to 64 bytes in Base64',
			})
			.prefault(''),
		secret: true,
		help: 'whsec_… secrets of Standard Webhooks, comma-separated',
	},
	INGEST_JWT_JWKS_URL: {
		schema: text
			.refine((url) => url === '' || isSafeUrl(url), 'is not an https URL (http: this host only)')
			.default(''),
		help: 'where the keys of JWS and JWT are published',
	},
	INGEST_JWT_KEYS: {
		schema: text.default(''),
		secret: true,
		help: 'PEM public keys of JWS and JWT, one after the other',
	},
	INGEST_JWT_SECRETS: {
		schema: secrets.prefault(''),
		secret: true,
		help: 'shared secrets of JWS and JWT (HS256, HS384, HS512), comma-separated',
	},
	INGEST_JWT_HEADER: {
		schema: header.prefault('authorization'),
		help: 'header with the JWT or the (detached) JWS, with or without Bearer (authorization)',
	},
	INGEST_JWT_ISSUER: { schema: text.default(''), help: 'issuer a JWT must name' },
	INGEST_JWT_AUDIENCE: { schema: text.default(''), help: 'audience a JWT must name' },
	INGEST_JWT_BODY_CLAIM: {
		schema: text.default(''),
		help: 'claim with the SHA-256 of the body, hex or Base64; without it a JWT does not cover the body',
	},
	INGEST_JWT_MAX_AGE: {
		schema: duration.prefault('5m'),
		help: 'oldest JWT that is accepted, by its iat (5m)',
	},
	INGEST_CLIENT_CA: {
		schema: text.default(''),
		secret: true,
		help: 'PEM of who issues client certificates; needs TLS_CERTIFICATE or the header below',
	},
	INGEST_CLIENT_FINGERPRINTS: {
		schema: list
			.transform((all) => all.map((one) => one.replaceAll(':', '').toLowerCase()))
			.refine((all) => all.every((one) => /^[0-9a-f]{64}$/.test(one)), {
				message: 'has one that is not a SHA-256 in hex',
			})
			.prefault(''),
		help: 'SHA-256 of the client certificates that are accepted, comma-separated',
	},
	INGEST_CLIENT_CERTIFICATE_HEADER: {
		schema: header.or(z.literal('')).default(''),
		help: 'header in which a trusted proxy hands on the client certificate, as URL-encoded PEM',
	},
	INGEST_ADDRESSES: {
		schema: networks.prefault(''),
		help: 'addresses and networks the service sends from, comma-separated',
	},
	INGEST_ALLOW_UNAUTHENTICATED: {
		schema: flag.prefault('false'),
		help: 'true to start without any authentication of events (false)',
	},
	INGEST_RATE_LIMIT: {
		schema: integer(0, 100_000_000).prefault('120000'),
		help: 'requests a minute from one address, 0 for no limit (120000)',
	},
	BODY_LIMIT_BYTES: {
		schema: integer(1, 16 * 1024 * 1024).prefault('1048576'),
		help: 'largest body of POST /events (1048576)',
	},
	MAPPING_FILE: {
		schema: text.default(''),
		help: 'JSON file that names other paths to read events from, see README',
	},
} as const;

function isTemplate(template: string): boolean {
	const names: string[] = template.match(/\{[^}]*\}/g) ?? [];
	return names.includes('{body}') && names.every((name) => /^\{(body|timestamp)\}$/.test(name));
}

/** Keys fetched over plain HTTP could be anybody's. */
function isSafeUrl(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const url = new URL(text);
	return url.protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}
