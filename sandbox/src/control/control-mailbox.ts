import { z } from 'zod/v4';
import { isMail, isMessage } from '../journal/filters.ts';
import { mailSchema, MESSAGE_STATUSES, messageSchema } from '../state/model.ts';
import { endpoint, json } from './endpoint.ts';
import { listed, listingAnswer, listingQuery } from './listing.ts';

const to = z.string().optional().describe('The address it went to');

/** Control API: finds mails and messages. */
export const MAILBOX_ENDPOINTS = [
	endpoint({
		method: 'get',
		path: '/mails',
		id: 'listMails',
		summary: 'Mails, newest first; can wait for a match',
		query: z.strictObject({ to, messageId: z.string().optional(), ...listingQuery }),
		answer: json(z.strictObject({ mails: z.array(mailSchema), ...listingAnswer })),
		async handle(world, { query, signal }) {
			const all = () => [...world.store.mails.values()];
			const { found, ...page } = await listed(world, all, isMail(query), query, signal);
			return { mails: found.map((mail) => mailSchema.parse(mail)), ...page };
		},
	}),
	endpoint({
		method: 'get',
		path: '/messages',
		id: 'listMessages',
		summary: 'Messages, newest first; can wait for a match',
		query: z.strictObject({
			to,
			status: z.enum(MESSAGE_STATUSES).optional(),
			...listingQuery,
		}),
		answer: json(z.strictObject({ messages: z.array(messageSchema), ...listingAnswer })),
		async handle(world, { query, signal }) {
			const all = () => [...world.store.messages.values()];
			const { found, ...page } = await listed(world, all, isMessage(query), query, signal);
			return { messages: found.map((message) => messageSchema.parse(message)), ...page };
		},
	}),
];
