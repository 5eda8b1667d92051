import { z } from 'zod/v4';
import { found } from '../http/errors.ts';
import { isAttempt } from '../journal/filters.ts';
import { attemptSchema } from '../journal/attempt.ts';
import { statusQuery, textQuery } from './requests.ts';
import { controlEndpoint, json } from '../endpoint/endpoint.ts';
import { listed, listingAnswer, listingQuery } from './list-query.ts';

/** Control API: what was sent to webhook endpoints, and how they answered. */
export const ATTEMPT_ENDPOINTS = [
	controlEndpoint({
		method: 'get',
		path: '/webhook-attempts',
		id: 'listWebhookAttempts',
		summary: 'Webhook attempts with payload and response, newest first; can wait for a match',
		query: z.strictObject({
			messageId: z.string().optional(),
			event: z.string().optional().describe('As the service spells it: `aes_received`'),
			status: statusQuery,
			text: textQuery,
			...listingQuery,
		}),
		answer: json(z.strictObject({ webhookAttempts: z.array(attemptSchema), ...listingAnswer })),
		async handle(world, { query, signal }) {
			const all = () => world.webhooks.attempts.all();
			const { found: webhookAttempts, ...page } = await listed(
				world,
				all,
				isAttempt(query),
				query,
				signal,
			);
			return { webhookAttempts, ...page };
		},
	}),
	controlEndpoint({
		method: 'post',
		path: '/webhook-attempts/{id}/resend',
		id: 'resendWebhook',
		summary: 'Resend an attempt’s payload, newly signed, and wait for the response',
		params: z.object({ id: z.coerce.number<number>().int() }),
		answer: json(attemptSchema, 201),
		errors: { 409: ['No webhook endpoint has that address any more'] },
		handle({ webhooks }, { params: { id } }) {
			const attempt = found(webhooks.attempts.get(id), `webhook attempt ${id}`);
			return webhooks.resend(attempt);
		},
	}),
];
