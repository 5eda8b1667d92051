import { z } from 'zod/v4';
import { notFound } from '../http/errors.ts';
import { isRequest } from '../journal/filters.ts';
import { matcherShape } from '../http/request-matcher.ts';
import { requestEntrySchema } from '../journal/request-entry.ts';
import { endpoint, json } from './endpoint.ts';
import { listed, listingAnswer, listingQuery } from './listing.ts';

export const since = z.iso.datetime({ offset: true }).optional().describe('Not before this moment');
export const statusQuery = z
	.string()
	.regex(/^(?:\d{3}|[1-5]xx|none)$/i, 'takes 404, 4xx or none')
	.optional()
	.describe('`404`, `4xx`, or `none` where there was no answer');
export const textQuery = z.string().optional().describe('Stands anywhere in it, whatever its case');

/** Control API: the journal of requests to the service. */
export const REQUEST_ENDPOINTS = [
	endpoint({
		method: 'get',
		path: '/requests',
		id: 'listRequests',
		summary: 'Requests to the service with their responses, newest first; can wait for a match',
		query: z.strictObject({
			path: matcherShape.path.describe(
				'As in `/messages/{id}`: braces match any id, `*` any segment',
			),
			method: z.string().optional(),
			status: statusQuery,
			account: z.string().optional().describe('Name of the account whose token it had'),
			recipient: matcherShape.recipient.describe(
				'An address that it, or a message it names, is for',
			),
			body: z
				.string()
				.regex(/=/, 'takes a member and its value: fileReference=INVOICE-7')
				.optional()
				.describe('A member of its body and its value, `recipients.company=Engines`'),
			messageId: z.string().optional().describe('A message that it or its answer names'),
			text: textQuery,
			since,
			...listingQuery,
		}),
		answer: json(z.strictObject({ requests: z.array(requestEntrySchema), ...listingAnswer })),
		async handle(world, { query, signal }) {
			const addressOf = (id: string) => world.store.messages.get(id)?.contact.email;
			const all = () => world.requests.all();
			const matches = isRequest(query, addressOf);
			const { found, ...page } = await listed(world, all, matches, query, signal);
			return { requests: found, ...page };
		},
	}),
	endpoint({
		method: 'delete',
		path: '/requests',
		id: 'clearRequests',
		summary: 'Clear the request journal',
		answer: json(z.strictObject({ requests: z.array(z.never()) })),
		handle({ requests, events }) {
			requests.clear();
			events.publishChange();
			return { requests: [] };
		},
	}),
	endpoint({
		method: 'get',
		path: '/requests/{id}',
		id: 'getRequest',
		summary: 'One request with its response',
		params: z.object({ id: z.coerce.number<number>().int() }),
		answer: json(requestEntrySchema),
		handle({ requests }, { params }) {
			const entry = requests.get(params.id);
			if (!entry) throw notFound(`Request ${params.id} is not in the journal`);
			return entry;
		},
	}),
];
