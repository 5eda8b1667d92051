import { z } from 'zod/v4';
import { activeRuleSchema, ruleSchema } from '../http/faults.ts';
import { deliveryLedger } from '../messages/ledger.ts';
import { endpoint, json, type Endpoint } from './endpoint.ts';
import { named } from './named-schemas.ts';

const MAX_RULES = 1000;

const faultsSchema = z.strictObject({ faults: z.array(named('ActiveFault', activeRuleSchema)) });

const ledgerLine = named(
	'LedgerLine',
	z.strictObject({
		fileReference: z.string().nullable(),
		customerReference: z.string().nullable(),
		email: z.string(),
		type: z.string(),
		times: z.number().int().describe('More than one: it was sent more than once'),
		ids: z.array(z.string()),
	}),
);

/** Control API: injected faults, and what the service really did, to compare with its client. */
export const FAULT_ENDPOINTS: Endpoint[] = [
	endpoint({
		method: 'get',
		path: '/faults',
		id: 'getFaults',
		summary: 'The faults, and how often each happened',
		answer: json(faultsSchema),
		handle: ({ faults }) => ({ faults: faults.list() }),
	}),
	endpoint({
		method: 'post',
		path: '/faults',
		id: 'addFaults',
		summary: 'Plan faults: the first that is meant for a request happens to it',
		body: z.strictObject({ faults: z.array(ruleSchema).min(1).max(MAX_RULES) }),
		answer: json(faultsSchema, 201),
		handle({ faults }, { body }) {
			const ids = new Set(body.faults.map((rule) => faults.add(rule)));
			return { faults: faults.list().filter(({ id }) => ids.has(id)) };
		},
	}),
	endpoint({
		method: 'delete',
		path: '/faults',
		id: 'clearFaults',
		summary: 'Drop all faults',
		answer: json(faultsSchema),
		handle({ faults }) {
			faults.clear();
			return { faults: [] };
		},
	}),
	endpoint({
		method: 'get',
		path: '/ledger',
		id: 'getLedger',
		summary: 'Which letters the service has, to compare with what a client believes',
		answer: json(z.strictObject({ letters: z.array(ledgerLine) })),
		handle: ({ store }) => ({ letters: deliveryLedger([...store.messages.values()]) }),
	}),
];
