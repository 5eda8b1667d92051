import { z } from 'zod/v4';
import { isRequest } from '../journal/filters.ts';
import { matcherShape } from '../http/request-matcher.ts';
import { requestEntrySchema } from '../journal/request-entry.ts';
import { controlEndpoint, json } from '../endpoint/endpoint.ts';
import { listed, listingAnswer, listingQuery } from './list-query.ts';

export const statusQuery = z
	.string()
	.regex(/^(?:\d{3}|[1-5]xx|none)$/i, 'takes 404, 4xx or none')
	.optional()
	.describe('`404`, `4xx`, or `none` where there was no answer');
export const textQuery = z.string().optional().describe('Stands anywhere in it, whatever its case');

/** Control API: the journal of requests to the service. */
export const REQUEST_ENDPOINTS = [
	controlEndpoint({
		method: 'get',
		path: '/requests',
		id: 'listRequests',
		summary: 'Requests to the service with their responses, newest first; can wait for a match',
		query: z.strictObject({
			...matcherShape,
			status: statusQuery,
			messageId: z.string().optional().describe('A message that it or its answer names'),
			text: textQuery,
			...listingQuery,
		}),
		answer: json(z.strictObject({ requests: z.array(requestEntrySchema), ...listingAnswer })),
		async handle(world, { query, signal }) {
			const all = () => world.requests.all();
			const { found, ...page } = await listed(world, all, isRequest(query), query, signal);
			return { requests: found, ...page };
		},
	}),
	controlEndpoint({
		method: 'delete',
		path: '/requests',
		id: 'clearRequests',
		summary: 'Clear the request journal',
		answer: json(z.strictObject({ requests: z.array(z.never()) })),
		handle({ requests, news }) {
			requests.clear();
			news.tellChange();
			return { requests: [] };
		},
	}),
];
