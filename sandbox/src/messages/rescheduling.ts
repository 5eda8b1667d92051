import { z } from 'zod/v4';
import { json, serviceEndpoint } from '../endpoint/endpoint.ts';
import { invalid, serviceError } from '../http/errors.ts';
import { messageRecord, type Account } from '../state/model.ts';
import type { Store } from '../state/store.ts';
import { findMessages, messageId, messageIds } from './message-ids.ts';
import { checkSchedule, scheduledAt } from './schedule.ts';

// Design, open points: the interface shows neither the shapes nor the code; these are assumed.

const cancelled = z.object({ messages: z.array(z.object({ id: messageId })) });
const errors = { 404: ['message-not-found'], 422: ['message-not-scheduled'] };

/** Section POST /messages/bulk_reschedule. */
export const rescheduleMessages = serviceEndpoint({
	method: 'post',
	path: '/messages/bulk_reschedule',
	id: 'rescheduleMessages',
	summary: 'Move scheduled messages to another time, all or none',
	body: z.object({ ids: messageIds, scheduledAt }),
	answer: json(cancelled.extend({ scheduledAt: messageRecord.shape.createdAt })),
	errors,
	handle(world, { caller, body }) {
		const messages = findScheduled(world.store, caller.account, body.ids);
		// Rules SCHD-01 and SCHD-02 apply to the new time as well.
		const problems = checkSchedule(body.scheduledAt, world.clock.now());
		if (problems.length > 0) throw invalid(...problems);
		const at = Date.parse(body.scheduledAt);
		for (const message of messages) world.deliveries.reschedule(message, at);
		return { scheduledAt: at, messages };
	},
});

/** Section POST /messages/bulk_cancel. */
export const cancelMessages = serviceEndpoint({
	method: 'post',
	path: '/messages/bulk_cancel',
	id: 'cancelMessages',
	summary: 'Cancel scheduled messages, all or none',
	body: z.object({ ids: messageIds }),
	answer: json(cancelled),
	errors,
	handle(world, { caller, body }) {
		const messages = findScheduled(world.store, caller.account, body.ids);
		for (const message of messages) world.deliveries.cancel(message);
		return { messages };
	},
});

function findScheduled(store: Store, account: Account, ids: string[]) {
	const messages = findMessages(store, account, ids);
	const other = messages.find(({ status }) => status !== 'SCHEDULED');
	if (!other) return messages;
	const why = `Message ${other.id} is not scheduled: it is ${other.status}`;
	throw serviceError(422, 'message-not-scheduled', why);
}
