// Independent readers of OpenAPI descriptions: what they find wrong, other tools would trip over.
import { createConfig, lint } from '@redocly/openapi-core';
import { type Ruleset, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

import { readDescription } from './answer-schemas.ts';

const FILES = ['openapi.json', 'control-openapi.json'] as const;

it.each(FILES)('Redocly finds no fault in %s', async (file) => {
	const config = await createConfig({
		extends: ['recommended'],
		// A tag of the control API is the first word of the path, and needs no other.
		...(file === 'control-openapi.json' && { rules: { 'tag-description': 'off' } }),
	});
	const problems = await lint({ ref: `sandbox/${file}`, config });
	const found = problems.map(
		({ severity, ruleId, message, location }) =>
			`${severity} ${ruleId}: ${message} at ${location.map((place) => place.pointer).join(', ')}`,
	);
	expect(found).toEqual([]);
});

it.each(FILES)('Spectral finds no fault in %s', async (file) => {
	const spectral = new Spectral();
	spectral.setRuleset({
		extends: [[oas as unknown as Ruleset['definition'], 'recommended']],
		// The summary of an operation says it whole; a second text would repeat it.
		rules: { 'operation-description': 'off' },
	} as Ruleset['definition']);
	const problems = await spectral.run(readDescription<Record<string, unknown>>(file));
	expect(
		problems.map(({ code, message, path }) => `${code}: ${message} at ${path.join('.')}`),
	).toEqual([]);
});
