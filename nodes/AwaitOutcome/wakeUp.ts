import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { wakeUpBodySchema, type WakeUpAnswer } from '../../webhook-receiver/src/wait/wait-contract';
import { leaving, toOutputs } from './outputs';
import { withPairing } from './resumed';
import { readInput, readSleeping } from './sleeping';
import { isSecretOf } from './waitSecret';

/**
 * Takes the outcomes that another node of this n8n fetched from the receiver, and wakes the execution
 * with them. Whatever is wrong is refused and leaves the execution asleep. Never throws: n8n would wake
 * the execution with an error, and its data would be lost (design § 10).
 */
export function wakeUp(context: IWebhookFunctions): IWebhookResponseData {
	try {
		return readOutcomes(context);
	} catch {
		return sleepOn(context, 500, { message: 'The node could not read its own state.' });
	}
}

function readOutcomes(context: IWebhookFunctions): IWebhookResponseData {
	const body = wakeUpBodySchema.safeParse(context.getBodyData());
	if (!body.success) return sleepOn(context, 401, { wakeUp: 'refused' });
	const sleeping = readSleeping(context);
	// A loop sleeps again and again at the same URL: what comes late for an earlier round is not ours.
	if (sleeping.waitId !== body.data.waitId) return sleepOn(context, 410, { wakeUp: 'over' });
	if (!isSecretOf(sleeping.secretDigest, body.data.secret)) {
		return sleepOn(context, 401, { wakeUp: 'refused' });
	}
	const all = leaving(sleeping, body.data);
	if (all === null) return sleepOn(context, 422, { message: 'Outcomes are missing.' });
	const resumed: WakeUpAnswer = { wakeUp: 'resumed' };
	return {
		webhookResponse: resumed,
		workflowData: withPairing(context, toOutputs(all, readInput(context, sleeping))),
	};
}

/** Nothing that n8n would go on with. A status inside `webhookResponse` would go out as 200. */
function sleepOn(
	context: IWebhookFunctions,
	status: number,
	answer: WakeUpAnswer | { message: string },
): IWebhookResponseData {
	context.getResponseObject().status(status).json(answer);
	return { noWebhookResponse: true };
}
