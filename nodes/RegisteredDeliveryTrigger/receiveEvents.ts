import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { deliveryBodySchema, type DeliveryEvent } from '../../webhook-receiver/src/contract';
import { isSignatureValid } from '../shared/signature';
import { type EventMemory, KEPT_MS } from './eventMemory';
import { registrationKey } from './mode';
import { readSecret } from './registration';
import { memoryOf } from './registrationMemory';
import { recallSecret, rememberSecret } from './secretMemory';
import { type Outcome, refuse, startWorkflow } from './startWorkflow';

/**
 * Takes the receiver's request: checks its signature, and starts the workflow with the events that
 * are new, one item each (design § 6, rule EVNT-04).
 *
 * @param now milliseconds since 1970
 */
export async function receiveEvents(
	context: IWebhookFunctions,
	now: number,
): Promise<IWebhookResponseData> {
	if (!(await isFromReceiver(context, now))) {
		return refuse(context, 401, 'The signature is missing, wrong or too old.');
	}
	const body = deliveryBodySchema.safeParse(context.getBodyData());
	if (!body.success) {
		return refuse(context, 400, 'The body does not hold events as the receiver sends them.');
	}
	const memory = memoryOf(context);
	return startWorkflow(context, memory, takeNew(body.data.events, memory, now));
}

async function isFromReceiver(context: IWebhookFunctions, now: number): Promise<boolean> {
	const { rawBody } = context.getRequestObject();
	if (!rawBody) return false;
	const headers = context.getHeaderData();
	const isSigned = (secret: string) => isSignatureValid(secret, headers, rawBody, now);

	const key = registrationKey(context, context.getMode() === 'manual');
	const recalled = recallSecret(key, now);
	if (recalled !== null && isSigned(recalled)) return true;
	const secret = await readSecret(context, key);
	if (!isSigned(secret)) return false;
	rememberSecret(key, secret, now);
	return true;
}

/** The events whose id has not come before, be it in an earlier request or in this one. */
function takeNew(events: readonly DeliveryEvent[], memory: EventMemory, now: number): Outcome {
	const fresh = events.filter(({ id }) => {
		const isNew = !memory.has(id, now);
		if (isNew) memory.remember(id, now + KEPT_MS);
		return isNew;
	});
	return {
		events: fresh,
		noted: fresh.map(({ id }) => id),
		duplicates: events.length - fresh.length,
	};
}
