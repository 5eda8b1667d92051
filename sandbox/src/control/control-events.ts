import { z } from 'zod/v4';
import { EVENT_SCHEMAS } from '../journal/sandbox-event.ts';
import { endpoint, eventStream } from './endpoint.ts';

/** Control API: a live stream of events. */
export const EVENT_ENDPOINTS = [
	endpoint({
		method: 'get',
		path: '/events',
		id: 'followEvents',
		summary:
			'Server-sent events: mail, message, request, webhook, change, missed. Resumes after Last-Event-ID',
		answer: eventStream(z.union([...new Set(Object.values(EVENT_SCHEMAS))])),
		handle: ({ events }, { lastEventId, signal }) => events.follow(lastEventId, signal),
	}),
];
