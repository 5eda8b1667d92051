import { z } from 'zod/v4';
import { ServiceError } from '../http/errors.ts';
import { checkSent, sentFrom, type Sent } from './calls.ts';
import type { Endpoint } from './endpoint.ts';

/** Calls of the control API under one name. */
export const scenarioSchema = z.strictObject({
	description: z.string().min(1).max(1000),
	steps: z
		.array(
			z.strictObject({
				/** Its operation id in the control API's description. */
				call: z.string(),
				/** What the typed client's method takes: members of path, query and body in one object. */
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

export interface PreparedCall {
	endpoint: Endpoint;
	sent: Sent;
}

/**
 * The calls of a scenario, each held to its schemas before the first is made.
 *
 * @throws Error that names the first step that is wrong, and how
 */
export function prepareCalls({ steps }: Scenario, endpoints: Endpoint[]): PreparedCall[] {
	const callable = endpoints.filter(({ answer }) => answer.contentType === 'application/json');
	return steps.map((step, index) => {
		const endpoint = callable.find(({ id }) => id === step.call);
		const where = `step ${index + 1} (${step.call})`;
		if (!endpoint)
			throw new Error(`${where}: use one of ${callable.map(({ id }) => id).join(', ')}`);
		try {
			return { endpoint, sent: checkSent(endpoint, sentFrom(endpoint, step.with)) };
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			throw new Error(`${where}: ${error.message}`);
		}
	});
}
