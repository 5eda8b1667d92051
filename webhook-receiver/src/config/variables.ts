import { X509Certificate, createPublicKey } from 'node:crypto';
import { z } from 'zod/v4';
import { mappingFile } from './mapping.ts';
import {
	SHORTEST_KEY,
	choice,
	duration,
	durationOfAtLeast,
	durationOfAtMost,
	eachOf,
	header,
	httpsUrl,
	integer,
	limits,
	optional,
	paces,
	pems,
	proxies,
	secrets,
	secretsOfAtLeast,
	text,
} from './schemas.ts';

/** Describes a variable that may also come from the file that `<NAME>_FILE` names. */
const secret = <Schema extends z.ZodType>(schema: Schema, description: string) =>
	schema.meta({ description, isSecret: true });

/** The same with several: also from `<NAME>_2` and so on, and the file has one a line. */
const severalSecrets = <Schema extends z.ZodType>(schema: Schema, description: string) =>
	schema.meta({ description, isSecret: true, isList: true });

/** What a header carries as it is. */
const SENDABLE = /^[\x21-\x7e]+$/;

const tokens = (description: string) =>
	severalSecrets(
		eachOf(
			secretsOfAtLeast(16),
			(one) => SENDABLE.test(one),
			'with a character that no header carries: use letters, digits and signs of ASCII',
		),
		description,
	);

/** The parsed variables. */
export type Values = z.output<typeof variables>;

/** The environment in the order of `--help`: how each variable is written and what it means. */
export const variables = z.object({
	HOST: text.prefault('127.0.0.1').describe('address to listen on'),
	PORT: integer(0, 65_535).prefault('8080').describe('port to listen on; 0 picks a free one'),
	TLS_CERTIFICATE: secret(optional(text), 'PEM certificate chain, to serve HTTPS without a proxy'),
	TLS_KEY: secret(optional(text), 'PEM key of TLS_CERTIFICATE'),
	TRUSTED_PROXIES: proxies.describe(
		'addresses and networks of proxies whose X-Forwarded-For counts, comma-separated',
	),
	MANAGEMENT_TOKEN: tokens(
		'bearer token for everything but POST /events, and login for the page; two while you replace one',
	),
	N8N_TOKEN: tokens(
		'bearer token for n8n alone: pulls, claims, waits, watches; required without MANAGEMENT_TOKEN',
	),
	OPERATOR_TOKEN: tokens('bearer token for everything but /backup, and login for the page'),
	BACKUP_TOKEN: tokens('bearer token for /backup alone'),
	METRICS_TOKEN: tokens('bearer token for /metrics alone, which needs none until this is set'),
	STOP_DELAY: durationOfAtMost('1d')
		.prefault('0s')
		.describe(
			'how long a receiver that stops still takes requests while /readyz fails, so that balancers turn away',
		),
	STOP_TIMEOUT: durationOfAtMost('1d')
		.prefault('20s')
		.describe('how long a stop waits for open requests'),
	LOG_LEVEL: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
		.prefault('info')
		.describe('trace, debug, info, warn, error, fatal or silent'),

	INGEST_REQUIRE: choice(['any', 'all', 'none'])
		.prefault('any')
		.describe(
			'whether a request must pass any or all of the ways set below; with none the receiver also starts without any, and anybody can pose as the service',
		),
	INGEST_SHARED_SECRETS: severalSecrets(
		secretsOfAtLeast(8),
		'secrets that the service sends in a header',
	),
	INGEST_SHARED_SECRET_HEADER: header
		.prefault('x-webhook-secret')
		.describe('header with the shared secret'),
	INGEST_BASIC_USERS: severalSecrets(
		eachOf(
			secrets,
			(one) => /^[^:]+:.{8,}$/.test(one),
			'that is not user:password, of 8 characters or more',
		),
		'user:password pairs for Basic authentication',
	),
	INGEST_HMAC_SECRETS: severalSecrets(secretsOfAtLeast(8), 'secrets that the service signs with'),
	INGEST_HMAC_HEADER: header
		.prefault('x-webhook-signature')
		.describe(
			'header with the signature in hex or Base64, or several, also with the time among them',
		),
	INGEST_HMAC_TIMESTAMP_HEADER: header
		.prefault('x-webhook-timestamp')
		.describe('header with the time of signing, if it is not in the one with the signature'),
	INGEST_HMAC_TEMPLATE: text
		.refine(isHmacTemplate, 'needs {body}; only {timestamp} may stand beside it')
		.prefault('{timestamp}.{body}')
		.describe('what the service signs; without {timestamp} replays go unnoticed'),
	INGEST_STANDARD_WEBHOOKS_SECRETS: severalSecrets(
		eachOf(
			secrets,
			(one) => /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(one),
			'that is not whsec_ and 24 to 64 bytes in Base64',
		),
		'whsec_… secrets of Standard Webhooks',
	),
	INGEST_JWT_JWKS_URL: optional(httpsUrl).describe(
		'where the service publishes its JWS and JWT keys',
	),
	INGEST_JWT_KEYS: secret(
		pems((pem) => createPublicKey(pem)),
		'PEM public keys for JWS and JWT, one after the other',
	),
	INGEST_JWT_SECRETS: severalSecrets(
		secretsOfAtLeast(8),
		'shared secrets for JWS and JWT (HS256, HS384, HS512)',
	),
	INGEST_JWT_HEADER: header
		.prefault('authorization')
		.describe('header with the JWT or the (detached) JWS, with or without Bearer'),
	INGEST_JWT_ISSUER: optional(text).describe('issuer that a JWT must name'),
	INGEST_JWT_AUDIENCE: optional(text).describe('audience that a JWT must name'),
	INGEST_JWT_BODY_CLAIM: optional(text).describe(
		'claim with the SHA-256 of the body in hex or Base64; without it a JWT does not cover the body',
	),
	BODY_LIMIT_BYTES: integer(1, 16 * 1024 * 1024)
		.prefault('1048576')
		.describe('maximum body size of POST /events'),
	MAPPING_FILE: mappingFile.describe(
		'JSON file that names other paths to read events from; see "Mapping file" in docs/configuration.md',
	),

	SERVICE_URL: optional(
		httpsUrl
			.refine((url) => !/[?#]|\/\/[^/]*@/.test(url), 'has a user, a query or a fragment')
			.transform((url) => url.replace(/\/+$/, '')),
	).describe('address of the delivery service, to watch letters there'),
	SERVICE_TOKEN: secret(
		optional(text.regex(SENDABLE, 'has a character that no header carries')),
		'API token for SERVICE_URL',
	),
	SERVICE_CLIENT_CERTIFICATE: secret(
		optional(text),
		'PEM client certificate to show to the service, if it asks for one',
	),
	SERVICE_CLIENT_KEY: secret(optional(text), 'PEM key of SERVICE_CLIENT_CERTIFICATE'),
	SERVICE_CLIENT_PASSPHRASE: secret(
		optional(text),
		'passphrase of SERVICE_CLIENT_KEY, if it has one',
	),
	SERVICE_CA: secret(
		pems((pem) => new X509Certificate(pem)),
		'PEM of the private authority of the service, instead of the public ones',
	),
	CLOCK: choice(['system', 'service'])
		.prefault('system')
		.describe(
			'whose time counts: of this system, or of a service that is a sandbox, to rehearse weeks in minutes; refused where the service is none',
		),
	WATCH_RATE_LIMIT: integer(1, 60_000)
		.prefault('600')
		.describe('polls per minute, over all receivers on one database'),
	WATCH_DELAYS: paces
		.prefault('0s:1m,1h:10m,1d:1h,30d:6h')
		.describe('time since the last change, and the pause between polls from then on'),
	WATCH_LIMIT: duration
		.prefault('120d')
		.describe('how long after its last change a letter is watched'),

	DATABASE_FILE: text
		.refine((file) => file !== ':memory:', 'keeps nothing: name a file')
		.prefault('./receiver.sqlite')
		.describe('file of the embedded store, on a disk of this machine'),
	DATABASE_URL: secret(
		optional(text.regex(/^postgres(ql)?:\/\//, 'is not a URL of PostgreSQL')),
		'postgres://user:password@host/database, a store that several receivers share',
	),
	ENCRYPTION_KEY: severalSecrets(
		secretsOfAtLeast(SHORTEST_KEY),
		'encrypts the secrets in the store; required with DATABASE_URL, otherwise made beside DATABASE_FILE; of two, while you replace one, the first encrypts',
	),
	RETENTION: durationOfAtLeast('1h')
		.prefault('30d')
		.describe('how long events, settled batches, event IDs and absent consumers are kept'),
	LETTER_LIMIT: limits.describe(
		'how many letters n8n may send within a time, over all workflows, such as 500/1d,5000/30d; without it as many as it asks for',
	),
	LETTERS_RETENTION: durationOfAtLeast('1h')
		.prefault('400d')
		.describe('how long letters are kept in the book, from when they were sent'),
});

/** The text of `--help`. */
export function help(): string {
	const lines = Object.entries(variables.shape).map(([name, schema]) => {
		const { description = '', isSecret, isList } = schema.meta() ?? {};
		const byDefault = schema instanceof z.ZodPrefault ? ` (${schema.def.defaultValue})` : '';
		const fromFile = isSecret ? `; or ${name}_FILE` : '';
		const several = isList ? `, one a line; another one in ${name}_2` : '';
		return `  ${name.padEnd(34)}${description}${byDefault}${fromFile}${several}`;
	});
	return [
		'Receives the events of a registered electronic delivery service and keeps them for n8n to pull.',
		'Configured by environment variables:',
		...lines,
		'',
	].join('\n');
}

function isHmacTemplate(template: string): boolean {
	const names: string[] = template.match(/\{[^}]*\}/g) ?? [];
	return names.includes('{body}') && names.every((name) => /^\{(body|timestamp)\}$/.test(name));
}
