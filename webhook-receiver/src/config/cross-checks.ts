import { createSecureContext } from 'node:tls';
import { z } from 'zod/v4';
import { succeeds } from './schemas.ts';
import { variables } from './variables.ts';
import type { Values } from './variables.ts';

type Name = keyof Values;

const WAYS: Name[] = [
	'INGEST_HMAC_SECRETS',
	'INGEST_SHARED_SECRETS',
	'INGEST_BASIC_USERS',
	'INGEST_STANDARD_WEBHOOKS_SECRETS',
	'INGEST_JWT_JWKS_URL',
	'INGEST_JWT_KEYS',
	'INGEST_JWT_SECRETS',
];

const JWT_KEYS: Name[] = ['INGEST_JWT_KEYS', 'INGEST_JWT_JWKS_URL', 'INGEST_JWT_SECRETS'];
const JWT_CLAIMS: Name[] = ['INGEST_JWT_ISSUER', 'INGEST_JWT_AUDIENCE', 'INGEST_JWT_BODY_CLAIM'];

/** The variables, and checks that involve several of them. */
export const environment = variables.check(
	fault(
		['MANAGEMENT_TOKEN', 'N8N_TOKEN'],
		'is required, or N8N_TOKEN (openssl rand -hex 24)',
		(values) => !isSet(values, 'MANAGEMENT_TOKEN', 'N8N_TOKEN'),
	),
	fault(
		['LETTERS_RETENTION', 'LETTER_LIMIT'],
		'is shorter than a time of LETTER_LIMIT: letters are counted as long as they are kept',
		({ LETTERS_RETENTION: kept, LETTER_LIMIT: all }) => all.some(({ withinMs }) => withinMs > kept),
	),
	together('TLS_CERTIFICATE', 'TLS_KEY'),
	fault(
		['TLS_CERTIFICATE', 'TLS_KEY'],
		'it or TLS_KEY is not PEM, or they do not belong together',
		(values) => !fits(values.TLS_CERTIFICATE, values.TLS_KEY),
	),
	fault(
		[...WAYS, 'INGEST_REQUIRE'],
		'set it or another way of authentication, or anybody can pass for the service ' +
			'(INGEST_REQUIRE=none accepts that)',
		(values) => values.INGEST_REQUIRE !== 'none' && !isSet(values, ...WAYS),
	),
	fault(
		['INGEST_REQUIRE', ...WAYS],
		'is none, but a way of authentication is set: choose any or all, or unset it',
		(values) => values.INGEST_REQUIRE === 'none' && isSet(values, ...WAYS),
	),
	fault(
		['INGEST_JWT_HEADER', 'INGEST_REQUIRE', 'INGEST_BASIC_USERS', ...JWT_KEYS],
		'needs a header other than authorization, which INGEST_BASIC_USERS takes: ' +
			'with INGEST_REQUIRE=all no request could pass both',
		(values) =>
			values.INGEST_REQUIRE === 'all' &&
			values.INGEST_JWT_HEADER === 'authorization' &&
			isSet(values, 'INGEST_BASIC_USERS') &&
			isSet(values, ...JWT_KEYS),
	),
	...JWT_CLAIMS.map((name) =>
		fault(
			[name, ...JWT_KEYS],
			`needs one of ${JWT_KEYS.join(', ')}, or nothing checks it`,
			(values) => isSet(values, name) && !isSet(values, ...JWT_KEYS),
		),
	),
	fault(
		['DATABASE_URL', 'ENCRYPTION_KEY'],
		'needs ENCRYPTION_KEY, the same for all receivers on that database (openssl rand -hex 32)',
		(values) => isSet(values, 'DATABASE_URL') && !isSet(values, 'ENCRYPTION_KEY'),
	),
	together('SERVICE_URL', 'SERVICE_TOKEN'),
	fault(
		['CLOCK', 'SERVICE_URL'],
		'is service, and needs SERVICE_URL: the address of a sandbox',
		(values) => values.CLOCK === 'service' && !isSet(values, 'SERVICE_URL'),
	),
	together('SERVICE_CLIENT_CERTIFICATE', 'SERVICE_CLIENT_KEY'),
	fault(
		['SERVICE_CLIENT_CERTIFICATE', 'SERVICE_CLIENT_KEY', 'SERVICE_CLIENT_PASSPHRASE'],
		'it or SERVICE_CLIENT_KEY is not PEM, they do not belong together, ' +
			'or SERVICE_CLIENT_PASSPHRASE is wrong',
		({
			SERVICE_CLIENT_CERTIFICATE: cert,
			SERVICE_CLIENT_KEY: key,
			SERVICE_CLIENT_PASSPHRASE: passphrase,
		}) => !fits(cert, key, passphrase),
	),
);

/** Reports a fault of the first name; skipped if one of them already has a fault. */
function fault(names: Name[], error: string, isFaulty: (values: Values) => boolean) {
	return z.refine<Values>((values) => !isFaulty(values), {
		error,
		path: names.slice(0, 1),
		when: ({ issues }) => !issues.some(({ path }) => names.some((name) => name === path?.[0])),
	});
}

function together(name: Name, other: Name) {
	return fault(
		[name, other],
		`needs ${other}, and the other way round`,
		(values) => isSet(values, name) !== isSet(values, other),
	);
}

/** Whether any of them is. */
function isSet(values: Values, ...names: Name[]): boolean {
	return names.some((name) => {
		const value = values[name];
		return Array.isArray(value) ? value.length > 0 : value !== null;
	});
}

/** A certificate or a key by itself fits. */
function fits(cert: string | null, key: string | null, passphrase: string | null = null): boolean {
	const given = { cert: cert ?? undefined, key: key ?? undefined };
	return succeeds(() => createSecureContext({ ...given, passphrase: passphrase ?? undefined }));
}
