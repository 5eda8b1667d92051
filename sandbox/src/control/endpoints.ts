import { z } from 'zod/v4';
import { EVENT_SCHEMAS } from '../journal/sandbox-event.ts';
import { ACCOUNT_ENDPOINTS } from './control-accounts.ts';
import { FAULT_ENDPOINTS } from './control-faults.ts';
import { MAILBOX_ENDPOINTS } from './control-mailbox.ts';
import { LETTER_ENDPOINTS } from './control-letters.ts';
import { controlDocument } from './control-openapi.ts';
import { PEOPLE_ENDPOINTS } from './control-people.ts';
import { REQUEST_ENDPOINTS } from './control-requests.ts';
import { ATTEMPT_ENDPOINTS } from './control-webhooks.ts';
import { WORLD_ENDPOINTS } from './control-world.ts';
import { endpoint, eventStream, json } from './endpoint.ts';

/** The whole control API; the first matching path handles a request. */
export const ENDPOINTS = [
	...WORLD_ENDPOINTS,
	...FAULT_ENDPOINTS,
	...ACCOUNT_ENDPOINTS,
	...LETTER_ENDPOINTS,
	...PEOPLE_ENDPOINTS,
	...REQUEST_ENDPOINTS,
	...MAILBOX_ENDPOINTS,
	...ATTEMPT_ENDPOINTS,
	endpoint({
		method: 'get',
		path: '/events',
		id: 'followEvents',
		summary:
			'Server-sent events: mail, message, request, webhook, change, missed. Resumes after Last-Event-ID',
		answer: eventStream(z.union([...new Set(Object.values(EVENT_SCHEMAS))])),
		handle: ({ events }, { lastEventId, signal }) => events.follow(lastEventId, signal),
	}),
	endpoint({
		method: 'get',
		path: '/control-openapi.json',
		id: 'getControlDescription',
		summary: 'This description',
		answer: json(z.looseObject({})),
		handle: (): Record<string, unknown> => controlDocument(ENDPOINTS),
	}),
];
