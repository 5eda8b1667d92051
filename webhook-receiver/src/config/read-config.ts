import { readFileSync } from 'node:fs';
import { environment } from './cross-checks.ts';
import { unknownNames } from './unknown-names.ts';
import { variables } from './variables.ts';
import type { Values } from './variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Everything `startReceiver` needs to know; optional things are null, lists empty, unless set. */
export type ReceiverConfig = ReturnType<typeof toConfig>;

/** No service retries an event for longer. */
const SHORTEST_KEY_RETENTION_MS = 30 * 24 * 3_600_000;

/** Every name that is read from the environment. */
const NAMES = Object.entries(variables.shape).flatMap(([name, schema]) =>
	schema.meta()?.isSecret ? [name, `${name}_FILE`] : [name],
);

/** Every fault of a configuration at once. */
export class ConfigError extends Error {
	readonly faults: readonly string[];

	constructor(faults: readonly string[]) {
		super(`The configuration has faults:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
		this.name = 'ConfigError';
		this.faults = faults;
	}
}

/** Reads and checks the environment; throws a `ConfigError`, which quotes no value. */
export function readConfig(env: Environment): ReceiverConfig {
	const texts: Record<string, string | Error | undefined> = {};
	for (const [name, schema] of Object.entries(variables.shape)) {
		texts[name] = schema.meta()?.isSecret ? readSecret(env, name) : readText(env, name);
	}
	const unknown = unknownNames(Object.keys(env), NAMES);
	const parsed = environment.safeParse(texts);
	if (parsed.success && unknown.length === 0) return toConfig(parsed.data);
	const faults = (parsed.error?.issues ?? []).map(({ path, message }) => {
		const name = String(path[0]);
		return `${name}${texts[name] instanceof Error ? '_FILE' : ''}: ${message}`;
	});
	throw new ConfigError([...faults, ...unknown]);
}

/** An empty variable counts as unset. */
function readText(env: Environment, name: string): string | undefined {
	return env[name]?.trim() || undefined;
}

/** From the variable, or from the file that `<NAME>_FILE` names. */
function readSecret(env: Environment, name: string): string | Error | undefined {
	const text = readText(env, name);
	const file = readText(env, `${name}_FILE`);
	if (file === undefined) return text;
	if (text !== undefined) return new Error(`set either this or ${name}, not both`);
	try {
		return readFileSync(file, 'utf8').trim() || undefined;
	} catch (error) {
		return new Error((error as Error).message);
	}
}

function toConfig(values: Values) {
	// An event may wait longer than it is kept, and must not be accepted again meanwhile.
	const keyRetentionMs = Math.max(values.RETENTION, SHORTEST_KEY_RETENTION_MS);
	return {
		host: values.HOST,
		/** 0 takes a free one. */
		port: values.PORT,
		/** Null to serve plain HTTP. */
		tls: toTls(values),
		trustedProxies: values.TRUSTED_PROXIES,
		/** Of PostgreSQL, or null for the embedded store in `databaseFile`. */
		databaseUrl: values.DATABASE_URL,
		databaseFile: values.DATABASE_FILE,
		/** The first one encrypts, all decrypt; empty for the key that is made beside the file. */
		encryptionKeys: values.ENCRYPTION_KEY,
		/** Several, so that one can be replaced without a gap. */
		managementTokens: values.MANAGEMENT_TOKEN,
		ingest: {
			...toAuthentication(values),
			bodyLimitBytes: values.BODY_LIMIT_BYTES,
			/** Requests a minute from one address; 0 for no limit. */
			rateLimit: values.INGEST_RATE_LIMIT,
			reading: values.MAPPING_FILE,
		},
		dedup: { bodyWindowMs: values.DEDUP_WINDOW, keyRetentionMs },
		retention: { eventsMs: values.RETENTION, keysMs: keyRetentionMs },
		/** How long the numbers of erased letters are kept. */
		erasedMs: values.ERASURE_RETENTION,
		/** The service to poll, and how; null: nothing can be watched. */
		watching: toWatching(values),
		/** How long a stopping receiver still accepts requests while it is not ready. */
		stopDelayMs: values.STOP_DELAY,
		/** How long a stopping receiver waits for open requests. */
		stopTimeoutMs: values.STOP_TIMEOUT,
		/** Not ready while an event waits longer for an n8n that pulls; null: never mind. */
		readyBacklogMs: values.READY_BACKLOG || null,
		logLevel: values.LOG_LEVEL,
	};
}

function toTls(values: Values) {
	const { TLS_CERTIFICATE: certificate, TLS_KEY: key } = values;
	if (certificate === null || key === null) return null;
	const { INGEST_CLIENT_CA: authorities, INGEST_CLIENT_FINGERPRINTS: fingerprints } = values;
	return {
		certificate,
		key,
		asksForCertificate: authorities.length > 0 || fingerprints.length > 0,
		/** PEM of those that issue client certificates; empty to accept any issuer. */
		clientCa: authorities.map(String),
	};
}

/** A method of authentication is in use when its secrets, keys or addresses are set. */
function toAuthentication(values: Values) {
	return {
		require: values.INGEST_REQUIRE,
		sharedSecret: {
			secrets: values.INGEST_SHARED_SECRETS,
			header: values.INGEST_SHARED_SECRET_HEADER,
		},
		basicUsers: values.INGEST_BASIC_USERS,
		hmac: {
			secrets: values.INGEST_HMAC_SECRETS,
			header: values.INGEST_HMAC_HEADER,
			timestampHeader: values.INGEST_HMAC_TIMESTAMP_HEADER,
			encoding: values.INGEST_HMAC_ENCODING,
			template: values.INGEST_HMAC_TEMPLATE,
		},
		standardWebhooksSecrets: values.INGEST_STANDARD_WEBHOOKS_SECRETS,
		jwt: {
			jwksUrl: values.INGEST_JWT_JWKS_URL,
			keys: values.INGEST_JWT_KEYS,
			secrets: values.INGEST_JWT_SECRETS,
			header: values.INGEST_JWT_HEADER,
			issuer: values.INGEST_JWT_ISSUER,
			audience: values.INGEST_JWT_AUDIENCE,
			bodyClaim: values.INGEST_JWT_BODY_CLAIM,
			maxAgeMs: values.INGEST_JWT_MAX_AGE,
			toleranceMs: values.INGEST_JWT_TOLERANCE,
		},
		clientCertificate: {
			authorities: values.INGEST_CLIENT_CA,
			fingerprints: values.INGEST_CLIENT_FINGERPRINTS,
			header: values.INGEST_CLIENT_CERTIFICATE_HEADER,
		},
		addresses: values.INGEST_ADDRESSES,
		/** Accepts unauthenticated events. */
		allowUnauthenticated: values.INGEST_ALLOW_UNAUTHENTICATED,
	};
}

function toWatching(values: Values) {
	const { SERVICE_URL: url, SERVICE_TOKEN: token } = values;
	if (url === null || token === null) return null;
	return {
		service: {
			url,
			token,
			certificate: values.SERVICE_CLIENT_CERTIFICATE,
			key: values.SERVICE_CLIENT_KEY,
			passphrase: values.SERVICE_CLIENT_PASSPHRASE,
			ca: values.SERVICE_CA.map(String).join('') || null,
		},
		pollsPerMinute: values.WATCH_RATE_LIMIT,
		delays: values.WATCH_DELAYS,
		limitMs: values.WATCH_LIMIT,
	};
}
