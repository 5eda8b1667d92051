import { z } from 'zod/v4';
import { controlEndpoint, json } from '../endpoint/endpoint.ts';
import { found } from '../http/errors.ts';
import { matcherShape } from '../http/request-matcher.ts';
import { attemptSchema, requestEntrySchema } from '../journal/entries.ts';
import { isAttempt, isMail, isMessage, isRequest } from '../journal/filters.ts';
import { pageOf, type PageOf } from '../journal/page-of.ts';
import { mailRecord, MESSAGE_STATUSES, messageRecord } from '../state/model.ts';
import type { World } from '../world/world.ts';

const MAX_LIMIT = 1000;
const MAX_WAIT_SECONDS = 60;

/** Query parameters of every list. */
const listingQuery = {
	limit: z.coerce
		.number<number>()
		.int()
		.min(0)
		.max(MAX_LIMIT)
		.default(100)
		.describe('How many, the newest first; 0 only counts'),
	before: z.string().optional().describe('`next` of the page before'),
	count: z.coerce
		.number<number>()
		.int()
		.min(1)
		.default(1)
		.describe('How many must match for `wait` to end early'),
	wait: z.coerce
		.number<number>()
		.min(0)
		.max(MAX_WAIT_SECONDS)
		.default(0)
		.describe('Seconds to wait for as many as `count`; what is there then is the answer'),
};

/** Members of every list's answer, beside its entries. */
const listingAnswer = {
	/** Number of all that match. */
	total: z.number().int(),
	/** `before` of the next page, or null if this was the last. */
	next: z.string().nullable(),
};

const statusQuery = z
	.string()
	.regex(/^(?:\d{3}|[1-5]xx|none)$/i, 'takes 404, 4xx or none')
	.optional()
	.describe('`404`, `4xx`, or `none` where there was no answer');
const textQuery = z.string().optional().describe('Stands anywhere in it, whatever its case');

const to = z.string().optional().describe('The address it went to');

/** Control API: what there is to look at, and to wait for. */
export const LIST_ENDPOINTS = [
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
		handle: (world, asked) =>
			listed('requests', world, () => world.requests.all(), isRequest(asked.query), asked),
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
	controlEndpoint({
		method: 'get',
		path: '/mails',
		id: 'listMails',
		summary: 'Mails, newest first; can wait for a match',
		query: z.strictObject({ to, messageId: z.string().optional(), ...listingQuery }),
		answer: json(z.strictObject({ mails: z.array(mailRecord), ...listingAnswer })),
		handle: (world, asked) =>
			listed('mails', world, () => [...world.store.mails.values()], isMail(asked.query), asked),
	}),
	controlEndpoint({
		method: 'get',
		path: '/messages',
		id: 'listMessages',
		summary: 'Messages, newest first; can wait for a match',
		query: z.strictObject({
			to,
			status: z.enum(MESSAGE_STATUSES).optional(),
			...listingQuery,
		}),
		answer: json(z.strictObject({ messages: z.array(messageRecord), ...listingAnswer })),
		handle(world, asked) {
			const all = () => [...world.store.messages.values()];
			return listed('messages', world, all, isMessage(asked.query), asked);
		},
	}),
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
		handle(world, asked) {
			const all = () => world.webhooks.attempts.all();
			return listed('webhookAttempts', world, all, isAttempt(asked.query), asked);
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

interface Asked {
	query: { limit: number; before?: string | undefined; count: number; wait: number };
	signal: AbortSignal;
}

/**
 * A page of matches under a name, once there are enough or the time is over.
 *
 * @param all oldest first
 */
async function listed<Name extends string, T extends { id: string | number }>(
	name: Name,
	{ news }: World,
	all: () => readonly T[],
	matches: (entry: T) => boolean,
	{ query: { count, wait, ...page }, signal }: Asked,
) {
	const isEnough = () => {
		let matching = 0;
		return all().some((entry) => matches(entry) && ++matching >= count);
	};
	if (wait > 0) await news.until(isEnough, wait, signal);
	const { found, total, next } = pageOf(all(), matches, page);
	return { [name]: found, total, next } as Record<Name, T[]> & Omit<PageOf<T>, 'found'>;
}
