import { z } from 'zod/v4';
import { ACCOUNT_ENDPOINTS } from './control-accounts.ts';
import { EVENT_ENDPOINTS } from './control-events.ts';
import { FAULT_ENDPOINTS } from './control-faults.ts';
import { MAILBOX_ENDPOINTS } from './control-mailbox.ts';
import { LETTER_ENDPOINTS } from './control-letters.ts';
import { SNAPSHOT_ENDPOINTS } from './control-snapshots.ts';
import { controlDocument } from './control-openapi.ts';
import { PEOPLE_ENDPOINTS } from './control-people.ts';
import { REQUEST_ENDPOINTS } from './control-requests.ts';
import { ATTEMPT_ENDPOINTS } from './control-webhooks.ts';
import { WORLD_ENDPOINTS } from './control-world.ts';
import { endpoint, json } from './endpoint.ts';

/** The whole control API; the first matching path handles a request. */
export const ENDPOINTS = [
	...WORLD_ENDPOINTS,
	...FAULT_ENDPOINTS,
	...SNAPSHOT_ENDPOINTS,
	...ACCOUNT_ENDPOINTS,
	...LETTER_ENDPOINTS,
	...PEOPLE_ENDPOINTS,
	...REQUEST_ENDPOINTS,
	...MAILBOX_ENDPOINTS,
	...ATTEMPT_ENDPOINTS,
	...EVENT_ENDPOINTS,
	endpoint({
		method: 'get',
		path: '/control-openapi.json',
		id: 'getControlDescription',
		summary: 'This description',
		answer: json(z.looseObject({})),
		handle: (): Record<string, unknown> => controlDocument(ENDPOINTS),
	}),
];
