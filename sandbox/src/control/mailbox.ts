import { z } from 'zod/v4';
import { isMail, isMessage } from '../journal/filters.ts';
import { mailRecord, MESSAGE_STATUSES, messageRecord } from '../state/model.ts';
import { controlEndpoint, json } from '../endpoint/endpoint.ts';
import { listed, listingAnswer, listingQuery } from './list-query.ts';

const to = z.string().optional().describe('The address it went to');

/** Control API: finds mails and messages. */
export const MAILBOX_ENDPOINTS = [
	controlEndpoint({
		method: 'get',
		path: '/mails',
		id: 'listMails',
		summary: 'Mails, newest first; can wait for a match',
		query: z.strictObject({ to, messageId: z.string().optional(), ...listingQuery }),
		answer: json(z.strictObject({ mails: z.array(mailRecord), ...listingAnswer })),
		async handle(world, { query, signal }) {
			const all = () => [...world.store.mails.values()];
			const { found: mails, ...page } = await listed(world, all, isMail(query), query, signal);
			return { mails, ...page };
		},
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
		async handle(world, { query, signal }) {
			const all = () => [...world.store.messages.values()];
			const { found: messages, ...page } = await listed(
				world,
				all,
				isMessage(query),
				query,
				signal,
			);
			return { messages, ...page };
		},
	}),
];
