import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { DeliveryEvent } from '../../webhook-receiver/src/core/event-contract';
import { sha256Hex } from '../../webhook-receiver/src/core/fingerprint';
import { HttpError } from '../../webhook-receiver/src/core/http-error';
import { markOf } from '../../webhook-receiver/src/core/mark';
import { isWanted } from '../../webhook-receiver/src/core/match';
import type { Normalised } from '../../webhook-receiver/src/core/normalise';
import { parseBody } from '../../webhook-receiver/src/core/parse-body';
import { readEvents } from '../../webhook-receiver/src/core/read-events';
import { trustedHeaders } from '../../webhook-receiver/src/core/verify';
import { itemMaker, readSelection } from '../shared/events/eventSettings';
import { readVerifier, WEBHOOK_CREDENTIAL, type WebhookCredential } from './webhookCredential';

/**
 * Handles the service's own request: authenticates and parses it, then starts the workflow with the
 * events that are selected (rule EVNT-04). Fails closed: with an incomplete credential nothing is authentic.
 *
 * It remembers nothing: n8n may run in several processes, which share no memory. A repeated event
 * starts the workflow again, with the same id (rule EVNT-05).
 *
 * @param now milliseconds since 1970
 */
export async function receiveDirect(
	context: IWebhookFunctions,
	now: number,
): Promise<IWebhookResponseData> {
	const credential = await context.getCredentials<WebhookCredential>(WEBHOOK_CREDENTIAL);
	const { verifier } = readVerifier(credential);
	const headers = context.getHeaderData();
	// n8n keeps no raw form of a multipart body: such an event is for the receiver.
	const body = context.getRequestObject().rawBody ?? Buffer.alloc(0);
	const request = { headers, body, now };
	const refusal = await verifier?.verify(request);
	if (refusal !== null) return refuse(context, 401, 'The request is not authenticated.');
	const raws = readRaws(body);
	if (raws instanceof HttpError) return refuse(context, raws.status, raws.message);

	const known = trustedHeaders(headers, verifier?.signs?.(request) ?? null);
	const selection = readSelection(context);
	const events = readEvents(raws, known)
		.map((normalised) => toEvent(normalised, now))
		.filter((event) => isWanted(selection, event));
	const webhookResponse = { accepted: events.length };
	if (events.length === 0) return { webhookResponse };
	const toItem = itemMaker(context);
	// Simplified too, since what comes next may drop repetitions by the id.
	const items = events.map((event) => ({ json: { id: event.id, ...toItem(event).json } }));
	return { webhookResponse, workflowData: [items] };
}

function readRaws(body: Buffer): unknown[] | HttpError {
	try {
		return parseBody(body);
	} catch (error) {
		if (error instanceof HttpError) return error;
		return new HttpError(400, 'broken-body', "The body can't be read.");
	}
}

function toEvent(normalised: Normalised, now: number): DeliveryEvent {
	const { event } = normalised;
	const identity = `${event.messageId} ${event.type} ${markOf(normalised).mark}`;
	return {
		// 128 bits never collide by chance.
		id: `evt_${sha256Hex(identity).slice(0, 32)}`,
		...event,
		receivedAt: new Date(now).toISOString(),
		sequence: nextSequence(now),
	};
}

let lastSequence = 0;

/** Increases with every event, across restarts too, without stored state: it follows the clock. */
function nextSequence(now: number): number {
	lastSequence = Math.max(lastSequence + 1, now);
	return lastSequence;
}

/** Answers with an error and starts nothing. */
function refuse(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	// A status inside `webhookResponse` would go out as 200: use the response object directly.
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}
