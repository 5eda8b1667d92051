import { z } from 'zod/v4';
import { latencyRuleSchema } from '../http/latency.ts';
import { endpoint, json, type Endpoint } from './endpoint.ts';

const MAX_RULES = 1000;

const answer = json(z.strictObject({ rules: z.array(latencyRuleSchema) }));

/** Control API: response latency. */
export const LATENCY_ENDPOINTS: Endpoint[] = [
	endpoint({
		method: 'get',
		path: '/latency',
		id: 'getLatency',
		summary: 'Response latency by path',
		answer,
		handle: ({ latency }) => ({ rules: latency.rules }),
	}),
	endpoint({
		method: 'put',
		path: '/latency',
		id: 'setLatency',
		summary: 'Set response latency; the first matching rule applies',
		body: z.strictObject({ rules: z.array(latencyRuleSchema).min(1).max(MAX_RULES) }),
		answer,
		handle({ latency }, { body }) {
			latency.set(body.rules);
			return { rules: latency.rules };
		},
	}),
	endpoint({
		method: 'delete',
		path: '/latency',
		id: 'clearLatency',
		summary: 'Remove all latency',
		answer,
		handle({ latency }) {
			latency.set([]);
			return { rules: [] };
		},
	}),
];
