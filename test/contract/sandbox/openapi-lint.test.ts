// Independent readers of OpenAPI descriptions: what they find wrong, other tools would trip over.
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { description } from './described.ts';

const sandbox = useSandbox();

const DESCRIPTIONS: Record<string, () => Promise<object>> = {
	service: async () => description,
	control: async () => await sandbox.control('GET /control-openapi.json'),
};
const each = it.each(Object.entries(DESCRIPTIONS));

each('Redocly finds no fault in the description: %s', async (name, served) => {
	const described = await served();
	// Not createConfig: TypeScript takes seconds to compare what it is given with all rules that there are.
	const config = await loadConfig({ customExtends: ['recommended'] });
	const problems = await lintFromString({ source: JSON.stringify(described), config });
	// A tag of the control API is the first word of the path, and needs no other.
	const needless = name === 'control' ? 'tag-description' : null;
	const faults = problems.filter(({ ruleId }) => ruleId !== needless);
	const found = faults.map(
		({ severity, ruleId, message, location }) =>
			`${severity} ${ruleId}: ${message} at ${location.map((place) => place.pointer).join(', ')}`,
	);
	expect(found).toEqual([]);
});

each('each schema compiles in the full strict reading of ajv: %s', async (_name, served) => {
	const described = await served();
	const ajv = addFormats.default(new Ajv2020({ allErrors: true, strict: true }));
	ajv.addVocabulary(Object.keys(described));
	ajv.addSchema(described, 'described');
	const pointers = schemasIn(described, '#');
	expect(pointers).toContain('#/components/schemas/Error');
	for (const pointer of pointers) ajv.compile({ $ref: `described${pointer}` });
});

/** Where the schemas of a description stand, as URI fragments. */
function schemasIn(value: unknown, at: string): string[] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, inside]) => {
		const escaped = encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
		const pointer = `${at}/${escaped}`;
		return name === 'schema' || at === '#/components/schemas'
			? [pointer]
			: schemasIn(inside, pointer);
	});
}
