import { readFileSync } from 'node:fs';
import { toConfig } from './config/to-config.ts';
import type { ReceiverConfig } from './config/to-config.ts';
import { VARIABLES } from './variables.ts';
import type { Values } from './variables.ts';

export type { ReceiverConfig } from './config/to-config.ts';

/** Every fault of a configuration at once. */
export class ConfigError extends Error {
	readonly faults: readonly string[];

	constructor(faults: readonly string[]) {
		super(`The configuration has faults:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
		this.name = 'ConfigError';
		this.faults = faults;
	}
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads and checks the environment; throws a `ConfigError`. Its values never quote a secret. */
export function readConfig(env: Environment): ReceiverConfig {
	const faults: string[] = [];
	const values = readValues(env, faults);
	const config = toConfig(values as Values, faults);
	if (config === null) throw new ConfigError(faults);
	return config;
}

function readValues(env: Environment, faults: string[]): Partial<Values> {
	const values: Record<string, unknown> = {};
	for (const [name, variable] of Object.entries(VARIABLES)) {
		try {
			const text = readText(env, name, 'secret' in variable);
			const parsed = variable.schema.safeParse(text);
			if (parsed.success) values[name] = parsed.data;
			else faults.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
		} catch (error) {
			faults.push(`${name}_FILE: ${(error as Error).message}`);
		}
	}
	return values as Partial<Values>;
}

/** An empty variable counts as unset; secrets may come from the file that `<NAME>_FILE` names. */
function readText(env: Environment, name: string, isSecret: boolean): string | undefined {
	const text = env[name]?.trim() || undefined;
	const file = isSecret ? env[`${name}_FILE`]?.trim() : undefined;
	if (!file) return text;
	if (text !== undefined) throw new Error(`set either this or ${name}, not both`);
	return readFileSync(file, 'utf8').trim() || undefined;
}
