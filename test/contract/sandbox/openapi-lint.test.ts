import { createConfig, lint } from '@redocly/openapi-core';

// An independent reader of OpenAPI descriptions: what it finds wrong, other tools would trip over.
it('the committed OpenAPI description has no fault', async () => {
	const config = await createConfig({ extends: ['recommended'] });
	const problems = await lint({ ref: 'sandbox/openapi.json', config });
	const found = problems.map(
		({ severity, ruleId, message, location }) =>
			`${severity} ${ruleId}: ${message} at ${location.map((place) => place.pointer).join(', ')}`,
	);
	expect(found).toEqual([]);
});
