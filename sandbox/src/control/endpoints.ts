import { z } from 'zod/v4';
import { ACCOUNT_ENDPOINTS } from './accounts.ts';
import { FAULT_ENDPOINTS } from './faults.ts';
import { LETTER_ENDPOINTS } from './letters.ts';
import { LIST_ENDPOINTS } from './lists.ts';
import { controlDocument } from './document.ts';
import { PEOPLE_ENDPOINTS } from './people.ts';
import { WORLD_ENDPOINTS } from './world.ts';
import { controlEndpoint, eventStream, json } from '../endpoint/endpoint.ts';

/** The whole control API; the first matching path handles a request. */
export const CONTROL_ENDPOINTS = [
	...WORLD_ENDPOINTS,
	...FAULT_ENDPOINTS,
	...ACCOUNT_ENDPOINTS,
	...LETTER_ENDPOINTS,
	...PEOPLE_ENDPOINTS,
	...LIST_ENDPOINTS,
	controlEndpoint({
		method: 'get',
		path: '/events',
		id: 'followEvents',
		summary: 'Server-sent events, as there is news: change, request, webhook',
		answer: eventStream,
		handle: ({ news }, { signal }) => news.follow(signal),
	}),
	controlEndpoint({
		method: 'get',
		path: '/control-openapi.json',
		id: 'getControlDescription',
		summary: 'This description',
		answer: json(z.looseObject({})),
		handle: (): Record<string, unknown> => controlDocument(CONTROL_ENDPOINTS),
	}),
];
