import { z } from 'zod/v4';
import { activeRuleSchema, ruleSchema } from '../http/faults.ts';
import { controlEndpoint, json } from '../endpoint/endpoint.ts';
import { named } from '../state/schemas.ts';

const MAX_RULES = 1000;

const faultsSchema = z.strictObject({ faults: z.array(named('ActiveFault', activeRuleSchema)) });

/** Control API: injected faults. */
export const FAULT_ENDPOINTS = [
	controlEndpoint({
		method: 'get',
		path: '/faults',
		id: 'getFaults',
		summary: 'Active faults, and how often each was applied',
		answer: json(faultsSchema),
		handle: ({ faults }) => ({ faults: [...faults.rules] }),
	}),
	controlEndpoint({
		method: 'post',
		path: '/faults',
		id: 'addFaults',
		summary: 'Add faults; each request gets the first one that matches',
		body: z.strictObject({ faults: z.array(ruleSchema).min(1).max(MAX_RULES) }),
		answer: json(faultsSchema, 201),
		handle: ({ faults }, { body }) => ({ faults: body.faults.map((rule) => faults.add(rule)) }),
	}),
	controlEndpoint({
		method: 'delete',
		path: '/faults',
		id: 'clearFaults',
		summary: 'Remove all faults',
		answer: json(faultsSchema),
		handle({ faults }) {
			faults.clear();
			return { faults: [] };
		},
	}),
];
