import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { resumeSchema } from '../../webhook-receiver/src/wait/wait-contract';
import { readReceiver } from '../shared/receiver';
import { isSignatureValid } from '../shared/signature';
import { leaving, toOutputs } from './outputs';
import { withPairing } from './resumed';
import { readInput, readSleeping } from './sleeping';
import { waitSecret } from './waitSecret';

/**
 * Takes the receiver's one request, and wakes the execution with the outcomes. Whatever is wrong is
 * refused and leaves the execution asleep. Never throws: n8n would wake the execution with an error, and
 * its data would be lost (design § 10).
 *
 * @param now milliseconds since 1970
 */
export async function wakeUp(
	context: IWebhookFunctions,
	now: number,
): Promise<IWebhookResponseData> {
	try {
		return await readOutcomes(context, now);
	} catch {
		return refuse(context, 500, 'The node could not read its own state. Try again.');
	}
}

async function readOutcomes(
	context: IWebhookFunctions,
	now: number,
): Promise<IWebhookResponseData> {
	const sleeping = readSleeping(context);
	const { managementToken } = await readReceiver(context);
	const { rawBody } = context.getRequestObject();
	const isSignedFor = (waitId: string) =>
		rawBody !== undefined &&
		isSignatureValid(waitSecret(managementToken, waitId), context.getHeaderData(), rawBody, now);

	const body = resumeSchema.safeParse(context.getBodyData());
	if (!body.success || !isSignedFor(body.data.waitId)) {
		return refuse(context, 401, 'The signature is missing, wrong or too old.');
	}
	// A loop sleeps again and again at the same URL: what comes late for an earlier round is not ours.
	if (sleeping === null || sleeping.waitId !== body.data.waitId) {
		return refuse(context, 410, 'The execution does not wait for this any more.');
	}
	const all = leaving(sleeping, body.data);
	// Nothing that n8n would start the execution with: it sleeps on.
	if (all === null) return { webhookResponse: { resumed: false, reason: 'outcomes are missing' } };
	return {
		webhookResponse: { resumed: true },
		workflowData: withPairing(context, toOutputs(all, readInput(context, sleeping))),
	};
}

/** The execution sleeps on. A status inside `webhookResponse` would go out as 200. */
function refuse(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}
