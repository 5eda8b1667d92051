import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod/v4';
import { succeeds } from './schemas.ts';
import { variables } from './variables.ts';
import type { Values } from './variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What each variable says, durations in milliseconds; unset ones are null, lists empty. */
export type ReceiverConfig = Values;

/** Every name that is read from the environment, except numbered ones. */
const NAMES = Object.entries(variables.shape).flatMap(([name, schema]) =>
	schema.meta()?.isSecret ? [name, `${name}_FILE`] : [name],
);
const LISTS = Object.entries(variables.shape).flatMap(([name, schema]) =>
	schema.meta()?.isList ? [name] : [],
);

/** Shorter names resemble those of other programs. */
const SHORTEST = 8;
const MOST_TYPOS = 2;

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
	const texts: Record<string, string | string[] | Unreadable | undefined> = {};
	for (const [name, schema] of Object.entries(variables.shape)) {
		const { isSecret, isList } = schema.meta() ?? {};
		const read = isList ? readSecrets : isSecret ? readSecret : readText;
		texts[name] = read(env, name);
	}
	const unknown = unknownNames(env);
	const parsed = environment.safeParse(texts);
	if (parsed.success && unknown.length === 0) return parsed.data;
	const faults = (parsed.error?.issues ?? []).map(({ path, message }) => {
		const name = String(path[0]);
		const text = texts[name];
		return `${text instanceof Unreadable ? text.variable : name}: ${message}`;
	});
	throw new ConfigError([...faults, ...unknown]);
}

/** An empty variable counts as unset. */
function readText(env: Environment, name: string): string | undefined {
	return env[name]?.trim() || undefined;
}

/** Why a variable, or the file that it names, can't be read. */
class Unreadable extends Error {
	readonly variable: string;

	constructor(variable: string, message: string) {
		super(message);
		this.variable = variable;
	}
}

/** From the variable, or from the file that `<NAME>_FILE` names. */
function readSecret(env: Environment, name: string): string | Unreadable | undefined {
	const text = readText(env, name);
	const file = readSecretFile(env, name, text === undefined ? [] : [name]);
	return file instanceof Unreadable ? file : file?.trim() || text;
}

/** One from each of `<NAME>`, `<NAME>_2` and so on, or from each line of the file. */
function readSecrets(env: Environment, name: string): string[] | Unreadable {
	const names = Object.keys(env)
		.filter((one) => listOf(one) === name && readText(env, one) !== undefined)
		.toSorted((one, other) => numberOf(one) - numberOf(other));
	const file = readSecretFile(env, name, names);
	if (file instanceof Unreadable) return file;
	const lines = file?.split(/\r?\n/).filter((line) => line.trim() !== '') ?? [];
	const entries = [
		...lines.map((line) => [`${name}_FILE`, line] as const),
		// An echo into a secret store leaves a line break, which no secret ends with.
		...names.map((one) => [one, String(env[one]).replace(/\r?\n$/, '')] as const),
	];
	const [cut] = entries.filter(([, text]) => text !== text.trim() || /[\r\n]/.test(text));
	if (cut === undefined) return entries.map(([, text]) => text);
	const several = `several go into ${name}_2 and so on, or one a line into ${name}_FILE`;
	return new Unreadable(
		cut[0],
		`has one with a space at its beginning or end, or with a line break: write it without; ${several}`,
	);
}

/** @param names what is set in place of a file */
function readSecretFile(env: Environment, name: string, names: readonly string[]) {
	const variable = `${name}_FILE`;
	const file = readText(env, variable);
	if (file === undefined) return undefined;
	if (names.length > 0) {
		return new Unreadable(variable, `set either this or ${names.join(', ')}, not both`);
	}
	try {
		return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
	} catch (error) {
		return new Unreadable(variable, (error as Error).message);
	}
}

/** The variable that a numbered name belongs to: `A` for `A` and `A_2`. */
function listOf(name: string): string | null {
	const bare = name.replace(/_[1-9]\d*$/, '');
	return LISTS.includes(bare) ? bare : null;
}

function numberOf(name: string): number {
	return Number(/_(\d+)$/.exec(name)?.[1] ?? 0);
}

/**
 * A fault for each unknown variable that resembles one of ours: a mistyped `INGEST_REQUIRE` would
 * silently let requests in.
 */
function unknownNames(env: Environment): string[] {
	return Object.keys(env)
		.filter((name) => !NAMES.includes(name) && listOf(name) === null)
		.flatMap((name) => {
			const upper = name.toUpperCase();
			const nearest = closest(upper, NAMES);
			if (upper === `${nearest}_FILE`) return [`${name}: set ${nearest}; it is no secret`];
			const isTypo = upper.length >= SHORTEST && distance(upper, nearest) <= MOST_TYPOS;
			const isOurs = isTypo || upper.startsWith('INGEST_');
			return isOurs ? [`${name}: is unknown; did you mean ${nearest}?`] : [];
		});
}

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
