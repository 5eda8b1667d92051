import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { HttpError } from '../../webhook-receiver/src/core/http-error';
import { parseBody, type RawEvent } from '../../webhook-receiver/src/core/parse-body';
import { trustedHeaders } from '../../webhook-receiver/src/core/verify';
import { itemMaker, readSelection } from '../shared/events/eventSettings';
import { takeDirectEvents, type Taken } from './directEvents';
import { type EventMemory, keepOverRestarts, memoryOf } from './eventMemory';
import { readVerifier, WEBHOOK_CREDENTIAL, type WebhookCredential } from './webhookCredential';

/**
 * Handles the service's own request: authenticates and parses it, then starts the workflow with the new
 * events that are selected (rule EVNT-04). Fails closed: with an incomplete credential nothing is authentic.
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
	const raws = readRaws(body, headers['content-type']);
	if (raws instanceof HttpError) return refuse(context, raws.status, raws.message);
	const memory = memoryOf(context);
	const selection = readSelection(context);
	const known = trustedHeaders(headers, verifier?.signs?.(request) ?? null);
	return startWorkflow(context, memory, takeDirectEvents(raws, known, selection, memory, now));
}

function readRaws(body: Buffer, contentType: string | undefined): RawEvent[] | HttpError {
	try {
		return parseBody(body, contentType);
	} catch (error) {
		if (error instanceof HttpError) return error;
		return new HttpError(400, 'broken-body', "The body can't be read.");
	}
}

/** Starts one execution with the events, or none if there are none; answers 200 either way. */
function startWorkflow(
	context: IWebhookFunctions,
	memory: EventMemory,
	{ events, noted, duplicates }: Taken,
): IWebhookResponseData {
	const answer = { accepted: events.length, duplicates };
	if (noted.length > 0) keepOverRestarts(context, memory);
	if (events.length === 0) return { webhookResponse: answer };

	// n8n starts the execution after this function returns, and answers 500 if that fails. The
	// event then comes again, and must not be taken for a duplicate.
	const response = context.getResponseObject();
	response.once('finish', () => {
		if (response.statusCode < 400) return;
		for (const { key, mark } of noted) memory.forget(key, mark);
	});
	return {
		workflowData: [events.map(itemMaker(context))],
		// When n8n 2.41 starts the execution it forgets that static data has changed; then it reads
		// this property, and only then saves. So the getter writes the memory again.
		get webhookResponse() {
			keepOverRestarts(context, memory);
			return answer;
		},
	};
}

/** Answers with an error and starts nothing. */
function refuse(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	// A status inside `webhookResponse` would go out as 200: use the response object directly.
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}
