import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { parseBody } from '../../webhook-receiver/src/parse-body';
import { readAsked } from './readAsked';
import { takeDirectEvents } from './directEvents';
import { refuse, startWorkflow } from './startWorkflow';
import { readVerifier, WEBHOOK_CREDENTIAL, type WebhookCredential } from './webhookVerifier';
import { memoryOf } from './workflowMemory';

/** The node sees headers and body; what only the connection tells is not for it to judge. */
const CLIENT = { address: null, certificate: null, isTrustedProxy: false };

/**
 * Takes the service's own request: authenticates, understands and starts the workflow with what is
 * new and asked for (design § 6, rule EVNT-04). Fails closed: with a credential that is not complete,
 * nothing is authentic.
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
	// Multipart bodies have no raw form in n8n; no event comes as such.
	const body = context.getRequestObject().rawBody ?? Buffer.alloc(0);
	const refusal = await verifier?.verify({ headers, body, now, client: CLIENT });
	if (refusal !== null) return refuse(context, 401, 'The request is not authenticated.');
	const raws = readRaws(body, headers['content-type']);
	if (raws === null) return refuse(context, 400, "The body can't be read.");
	const memory = memoryOf(context);
	const asked = readAsked(context);
	return startWorkflow(context, memory, takeDirectEvents(raws, headers, asked, memory, now));
}

function readRaws(body: Buffer, contentType: string | undefined): unknown[] | null {
	try {
		return parseBody(body, contentType);
	} catch {
		return null;
	}
}
