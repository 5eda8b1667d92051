import { z } from 'zod/v4';
import { notFound } from '../http/errors.ts';
import { isAttempt } from '../journal/filters.ts';
import { attemptSchema, type WebhookAttempt } from '../journal/attempt.ts';
import type { World } from '../world/world.ts';
import { since, statusQuery, textQuery } from './control-requests.ts';
import { endpoint, json } from './endpoint.ts';
import { listed, listingAnswer, listingQuery } from './listing.ts';

const params = z.object({ id: z.coerce.number<number>().int() });

/** Control API: what was sent to webhook endpoints, and how they answered. */
export const ATTEMPT_ENDPOINTS = [
	endpoint({
		method: 'get',
		path: '/webhook-attempts',
		id: 'listWebhookAttempts',
		summary: 'Webhook attempts with payload and response, newest first; can wait for a match',
		query: z.strictObject({
			messageId: z.string().optional(),
			event: z.string().optional().describe('As the service spells it: `aes_received`'),
			url: z.string().optional(),
			status: statusQuery,
			text: textQuery,
			since,
			...listingQuery,
		}),
		answer: json(z.strictObject({ webhookAttempts: z.array(attemptSchema), ...listingAnswer })),
		async handle(world, { query, signal }) {
			const all = () => world.webhooks.attempts.all();
			const { found, ...page } = await listed(world, all, isAttempt(query), query, signal);
			return { webhookAttempts: found, ...page };
		},
	}),
	endpoint({
		method: 'get',
		path: '/webhook-attempts/{id}',
		id: 'getWebhookAttempt',
		summary: 'One webhook attempt',
		params,
		answer: json(attemptSchema),
		handle: findAttempt,
	}),
	endpoint({
		method: 'post',
		path: '/webhook-attempts/{id}/resend',
		id: 'resendWebhook',
		summary: 'Resend an attempt’s payload, newly signed, and wait for the response',
		params,
		answer: json(attemptSchema, 201),
		errors: { 409: 'No webhook endpoint has that address any more' },
		handle: (world, received) => world.webhooks.resend(findAttempt(world, received)),
	}),
];

function findAttempt(
	{ webhooks }: World,
	{ params: { id } }: { params: { id: number } },
): WebhookAttempt {
	const attempt = webhooks.attempts.get(id);
	if (!attempt) throw notFound(`Webhook attempt ${id} is not kept`);
	return attempt;
}
