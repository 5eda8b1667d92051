import { z } from 'zod/v4';
import { latencyRuleSchema } from '../http/latency.ts';
import { endpoint, json, type Endpoint } from './endpoint.ts';

const MAX_RULES = 1000;

const answer = json(z.strictObject({ rules: z.array(latencyRuleSchema) }));

/** Control API for how long answers take. */
export const LATENCY_ENDPOINTS: Endpoint[] = [
	endpoint({
		method: 'get',
		path: '/latency',
		id: 'getLatency',
		summary: 'How long answers take, by path',
		answer,
		handle: ({ latency }) => ({ rules: latency.rules }),
	}),
	endpoint({
		method: 'put',
		path: '/latency',
		id: 'setLatency',
		summary: 'Say how long answers take; the first rule for a request decides',
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
		summary: 'Answer as fast as possible again',
		answer,
		handle({ latency }) {
			latency.set([]);
			return { rules: [] };
		},
	}),
];
