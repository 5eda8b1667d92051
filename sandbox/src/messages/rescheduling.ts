import type { Router, Request, Response } from 'express';
import { exactRouter } from '../http/exact-router.ts';
import { z } from 'zod/v4';
import { callerOf } from '../http/authentication.ts';
import { iso } from '../state/clock.ts';
import { invalid, notScheduled } from '../http/errors.ts';
import { messageIdsSchema, namedMessages } from './message-ids.ts';
import type { Message } from '../state/model.ts';
import { readBody } from '../http/request-body.ts';
import { checkScheduledAt, scheduledAtSchema } from './schedule-window.ts';
import type { World } from '../world/world.ts';

/** Design, open points: the interface does not show the shapes; these are assumed. */
export const cancelBody = z.object({ ids: messageIdsSchema });
export const rescheduleBody = cancelBody.extend({ scheduledAt: scheduledAtSchema });

/** Scheduled sends, all or none (sections POST /messages/bulk_reschedule and bulk_cancel). */
export function reschedulingRoutes(world: World): Router {
	const router = exactRouter();
	router.post('/messages/bulk_reschedule', async (request, response) => {
		const { sent, messages } = await readScheduled(world, request, response, rescheduleBody);
		const scheduledAt = readTime(sent, world.clock.now());
		for (const message of messages) world.deliveries.reschedule(message, scheduledAt);
		response.json({ scheduledAt: iso(scheduledAt), messages: messages.map(({ id }) => ({ id })) });
	});
	router.post('/messages/bulk_cancel', async (request, response) => {
		const { messages } = await readScheduled(world, request, response, cancelBody);
		for (const message of messages) world.deliveries.cancel(message);
		response.json({ messages: messages.map(({ id }) => ({ id })) });
	});
	return router;
}

async function readScheduled(
	world: World,
	request: Request,
	response: Response,
	members: z.ZodObject,
) {
	const shape = { members, fileField: null, jsonFields: [], listFields: ['ids'] };
	const { sent } = await readBody(world, request, response, shape);
	const messages: Message[] = namedMessages(world.store, callerOf(response).account, sent);
	for (const { id, status } of messages) if (status !== 'SCHEDULED') throw notScheduled(id, status);
	return { sent, messages };
}

/** Rules SCHD-01 and SCHD-02 apply to the new time as well. */
function readTime(sent: object, now: number): number {
	const { scheduledAt } = sent as { scheduledAt?: unknown };
	const field = 'scheduledAt';
	if (typeof scheduledAt !== 'string')
		throw invalid({ field, rule: 'required', message: 'scheduledAt is required' });
	const checked = checkScheduledAt(scheduledAt, now);
	if ('rule' in checked) throw invalid(checked);
	return checked.at;
}
