import { z } from 'zod/v4';
import { found as foundIn } from '../http/errors.ts';
import { isAttempt, isMail, isMessage, isRequest } from '../journal/filters.ts';
import { requestSummarySchema, summaryOf } from '../journal/request-entry.ts';
import { attemptSummarySchema } from '../journal/attempt.ts';
import { mailSchema, MESSAGE_STATUSES, MESSAGE_TYPES, messageSchema } from '../state/model.ts';
import { since, textQuery } from './control-requests.ts';
import { endpoint, json } from './endpoint.ts';
import { listed, listingAnswer, listingQuery } from './listing.ts';
import { named } from '../state/named-schemas.ts';

const to = z.string().optional().describe('The address it went to');
const id = z.string();

const messageStorySchema = named(
	'MessageStory',
	messageSchema.extend({
		mails: z.array(mailSchema),
		webhookAttempts: z.array(attemptSummarySchema),
		requests: z.array(requestSummarySchema),
	}),
);

/** Control API: finds mails and messages. */
export const MAILBOX_ENDPOINTS = [
	endpoint({
		method: 'get',
		path: '/mails',
		id: 'listMails',
		summary: 'Mails, newest first; can wait for a match',
		query: z.strictObject({
			to,
			messageId: z.string().optional(),
			text: textQuery,
			since,
			...listingQuery,
		}),
		answer: json(z.strictObject({ mails: z.array(mailSchema), ...listingAnswer })),
		async handle(world, { query, signal }) {
			const all = () => [...world.store.mails.values()];
			const { found, ...page } = await listed(world, all, isMail(query), query, signal);
			return { mails: found.map((mail) => mailSchema.parse(mail)), ...page };
		},
	}),
	endpoint({
		method: 'get',
		path: '/mails/{id}',
		id: 'getMail',
		summary: 'One mail',
		params: z.object({ id }),
		answer: json(mailSchema),
		handle({ store }, { params }) {
			return mailSchema.parse(foundIn(store.mails.get(params.id), `mail ${params.id}`));
		},
	}),
	endpoint({
		method: 'get',
		path: '/messages',
		id: 'listMessages',
		summary: 'Messages, newest first; can wait for a match',
		query: z.strictObject({
			to,
			type: z.enum(MESSAGE_TYPES).optional(),
			status: z.enum(MESSAGE_STATUSES).optional(),
			text: textQuery,
			since,
			...listingQuery,
		}),
		answer: json(z.strictObject({ messages: z.array(messageSchema), ...listingAnswer })),
		async handle(world, { query, signal }) {
			const all = () => [...world.store.messages.values()];
			const { found, ...page } = await listed(world, all, isMessage(query), query, signal);
			return { messages: found.map((message) => messageSchema.parse(message)), ...page };
		},
	}),
	endpoint({
		method: 'get',
		path: '/messages/{id}',
		id: 'getMessage',
		summary: 'One message with its mails, webhooks and related requests',
		params: z.object({ id }),
		answer: json(messageStorySchema),
		handle({ store, webhooks, requests }, { params }) {
			const message = foundIn(store.messages.get(params.id), `message ${params.id}`);
			const about = { messageId: message.id };
			return {
				...messageSchema.parse(message),
				mails: store.mailsOf(message.id).map((mail) => mailSchema.parse(mail)),
				webhookAttempts: webhooks.attempts.all().filter(isAttempt(about)).map(summaryOf),
				requests: requests.all().filter(isRequest(about)).map(summaryOf),
			};
		},
	}),
];
