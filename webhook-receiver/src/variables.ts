import type { z } from 'zod/v4';
import { INGEST } from './variables/ingest.ts';
import { SERVING } from './variables/serving.ts';
import { STORING } from './variables/storing.ts';
import { WATCHING } from './variables/watching.ts';

/** The environment, in the order of `--help`. A default is written as an operator would. */
export const VARIABLES = { ...SERVING, ...INGEST, ...WATCHING, ...STORING };

/** What the schemas make of the environment. */
export type Values = {
	[Name in keyof typeof VARIABLES]: z.output<(typeof VARIABLES)[Name]['schema']>;
};

/** The text of `--help`. */
export function help(): string {
	const lines = Object.entries(VARIABLES).map(([name, variable]) => {
		const note = 'secret' in variable ? `; or ${name}_FILE` : '';
		return `  ${name.padEnd(34)}${variable.help}${note}`;
	});
	return [
		'Receives and stores the events of a registered electronic delivery service, for n8n to pull.',
		'Configured by environment:',
		...lines,
		'',
	].join('\n');
}
