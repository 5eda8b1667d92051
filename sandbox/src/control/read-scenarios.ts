import { readFile } from 'node:fs/promises';
import { fieldErrors } from '../http/field-errors.ts';
import { BUILT_IN_SCENARIOS } from './built-in-scenarios.ts';
import type { Endpoint } from './endpoint.ts';
import { prepareCalls } from './prepare-calls.ts';
import { scenariosSchema, type Scenario } from './scenario-schemas.ts';

/**
 * Reads user-defined scenarios from a JSON file: `{"scenarios": {"name": {"description", "steps"}}}`.
 *
 * @param required whether a missing file is an error
 * @throws Error that names the file and the problem
 */
export async function readScenarios(
	file: string,
	required: boolean,
	endpoints: Endpoint[],
): Promise<Record<string, Scenario>> {
	const wrong = (reason: string) => new Error(`Scenarios in ${file}: ${reason}`);
	let text: string;
	try {
		text = await readFile(file, 'utf8');
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT' && !required) return {};
		throw wrong(code === 'ENOENT' ? 'there is no such file' : (error as Error).message);
	}
	const { scenarios } = parsed(text, wrong);
	for (const [name, scenario] of Object.entries(scenarios)) {
		if (Object.hasOwn(BUILT_IN_SCENARIOS, name))
			throw wrong(`the sandbox has a scenario ${name} already; choose another name`);
		try {
			prepareCalls(scenario, endpoints);
		} catch (error) {
			throw wrong(`${name}, ${(error as Error).message}`);
		}
	}
	return scenarios;
}

function parsed(text: string, wrong: (reason: string) => Error) {
	let sent: unknown;
	try {
		sent = JSON.parse(text);
	} catch (error) {
		throw wrong(`not JSON: ${(error as Error).message}`);
	}
	const result = scenariosSchema.safeParse(sent);
	if (result.success) return result.data;
	throw wrong(
		fieldErrors(result.error, sent)
			.map(({ message }) => message)
			.join('; '),
	);
}
