import { z } from 'zod/v4';
import { notFound } from '../http/errors.ts';
import { BUILT_IN_SCENARIOS } from './built-in-scenarios.ts';
import { endpoint, json, type Endpoint } from './endpoint.ts';
import { prepareCalls } from './prepare-calls.ts';

/**
 * Control API for scenarios: calls of these endpoints under one name.
 *
 * @param endpoints what a scenario may call
 */
export const scenarioEndpoints = (endpoints: Endpoint[]): Endpoint[] => [
	endpoint({
		method: 'get',
		path: '/scenarios',
		id: 'getScenarios',
		summary: 'All scenarios, with descriptions',
		answer: json(
			z.strictObject({
				scenarios: z.array(z.strictObject({ name: z.string(), description: z.string() })),
			}),
		),
		handle: ({ scenarios }) => ({
			scenarios: Object.entries({ ...BUILT_IN_SCENARIOS, ...scenarios }).map(
				([name, { description }]) => ({ name, description }),
			),
		}),
	}),
	endpoint({
		method: 'post',
		path: '/scenarios/{name}',
		id: 'playScenario',
		summary: 'Run a scenario’s calls in order',
		params: z.object({ name: z.string() }),
		answer: json(
			z.strictObject({
				name: z.string(),
				answers: z.array(z.strictObject({ call: z.string(), answer: z.unknown() })),
			}),
		),
		errors: { 409: 'A call failed; the calls before it were made' },
		async handle(world, { params: { name }, signal }) {
			const all = { ...BUILT_IN_SCENARIOS, ...world.scenarios };
			if (!Object.hasOwn(all, name))
				throw notFound(`There is no scenario ${name}; use one of ${Object.keys(all).join(', ')}`);
			const answers = [];
			for (const { endpoint, sent } of prepareCalls(all[name]!, endpoints)) {
				const received = { ...sent, signal, lastEventId: null } as never;
				answers.push({ call: endpoint.id, answer: await endpoint.handle(world, received) });
			}
			return { name, answers };
		},
	}),
];
