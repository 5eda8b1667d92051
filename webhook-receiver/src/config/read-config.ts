import { readFileSync } from 'node:fs';
import { closest, distance } from 'fastest-levenshtein';
import { environment } from './cross-checks.ts';
import { variables } from './variables.ts';
import type { Values } from './variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What each variable says, durations in milliseconds; unset ones are null, lists empty. */
export type ReceiverConfig = Values;

/** Every name that is read from the environment. */
const NAMES = Object.entries(variables.shape).flatMap(([name, schema]) =>
	schema.meta()?.isSecret ? [name, `${name}_FILE`] : [name],
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
	const texts: Record<string, string | Error | undefined> = {};
	for (const [name, schema] of Object.entries(variables.shape)) {
		texts[name] = schema.meta()?.isSecret ? readSecret(env, name) : readText(env, name);
	}
	const unknown = unknownNames(env);
	const parsed = environment.safeParse(texts);
	if (parsed.success && unknown.length === 0) return parsed.data;
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

/**
 * A fault for each unknown variable that resembles one of ours: a mistyped `INGEST_REQUIRE` would
 * silently let requests in.
 */
function unknownNames(env: Environment): string[] {
	return Object.keys(env)
		.filter((name) => !NAMES.includes(name))
		.flatMap((name) => {
			const upper = name.toUpperCase();
			const nearest = closest(upper, NAMES);
			if (upper === `${nearest}_FILE`) return [`${name}: set ${nearest}; it is no secret`];
			const isTypo = upper.length >= SHORTEST && distance(upper, nearest) <= MOST_TYPOS;
			const isOurs = isTypo || upper.startsWith('INGEST_');
			return isOurs ? [`${name}: is unknown; did you mean ${nearest}?`] : [];
		});
}
