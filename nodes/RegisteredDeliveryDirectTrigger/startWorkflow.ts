import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { DeliveryEvent } from '../../webhook-receiver/src/contract';
import { itemMaker } from '../shared/events/eventItem';
import type { EventMemory } from './eventMemory';
import { keepOverRestarts } from './workflowMemory';

/** What came of the events of one request. */
export interface Outcome {
	/** To start the workflow with, one item each. */
	events: DeliveryEvent[];
	/** What was noted in the memory for this request. */
	noted: string[];
	duplicates: number;
}

/** Starts one execution with the events, or none where there are none; answers 200 either way. */
export function startWorkflow(
	context: IWebhookFunctions,
	memory: EventMemory,
	{ events, noted, duplicates }: Outcome,
): IWebhookResponseData {
	const answer = { accepted: events.length, duplicates };
	if (noted.length > 0) keepOverRestarts(context, memory);
	if (events.length === 0) return { webhookResponse: answer };

	// n8n starts the execution after this function has returned, and answers 500 where that fails.
	// The event then comes again, and must not be taken for a duplicate.
	const response = context.getResponseObject();
	response.once('finish', () => {
		if (response.statusCode >= 400) memory.forget(noted);
	});
	return {
		workflowData: [events.map(itemMaker(context))],
		// n8n 2.41 forgets that static data has changed when it starts the execution, reads this
		// property after that, and only then saves. So what is read last is written once more.
		get webhookResponse() {
			keepOverRestarts(context, memory);
			return answer;
		},
	};
}

/** Answers 401 or 400 and starts nothing. */
export function refuse(
	context: IWebhookFunctions,
	status: 400 | 401,
	message: string,
): IWebhookResponseData {
	// A status inside `webhookResponse` would go out as 200, so the response object is used itself.
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}
