import { z } from 'zod/v4';

/** Calls of the control API under one name. */
export const scenarioSchema = z.strictObject({
	description: z.string().min(1).max(1000),
	steps: z
		.array(
			z.strictObject({
				/** Its operation id in the control API's description. */
				call: z.string(),
				/** Input of the typed client's method: members of path, query and body in one object. */
				with: z.record(z.string(), z.unknown()).default({}),
			}),
		)
		.min(1)
		.max(1000),
});
export type Scenario = z.infer<typeof scenarioSchema>;

/** A file of scenarios by name. */
export const scenariosSchema = z.strictObject({
	scenarios: z.record(
		z
			.string()
			.regex(/^[a-z0-9][a-z0-9-]{0,99}$/, 'names are lower-case letters, digits and dashes'),
		scenarioSchema,
	),
});
