import type {
	IDataObject,
	IHookFunctions,
	IHttpRequestMethods,
	IN8nHttpFullResponse,
	JsonObject,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Subscription } from '../../webhook-receiver/src/contract';
import { describeNetworkFailure } from '../shared/serviceError';
import { RECEIVER_CREDENTIAL } from './mode';
import { WEBHOOK_URL_HINT } from './webhookUrl';

export interface ReceiverCredential {
	receiverUrl: string;
	managementToken: string;
}

export type Answer = Pick<IN8nHttpFullResponse, 'statusCode'> & { body: unknown };

/** Asks the receiver about one subscription (design, section Receiver API). Any status is an answer. */
export async function callReceiver(
	context: IHookFunctions,
	method: IHttpRequestMethods,
	key: string,
	body?: Subscription,
): Promise<Answer> {
	const { receiverUrl } = await context.getCredentials<ReceiverCredential>(RECEIVER_CREDENTIAL);
	try {
		return (await context.helpers.httpRequestWithAuthentication.call(context, RECEIVER_CREDENTIAL, {
			method,
			url: `${receiverUrl.trim().replace(/\/+$/, '')}/subscriptions/${encodeURIComponent(key)}`,
			body: body as unknown as IDataObject,
			json: true,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			timeout: 30_000,
		})) as Answer;
	} catch (error) {
		// The error itself holds the request with the management token, so only its words go on.
		const { message, description } = describeNetworkFailure(error);
		throw new NodeApiError(context.getNode(), { message } as JsonObject, {
			message: 'The webhook receiver cannot be reached',
			description: `${message} ${description} Check the Receiver URL of the credential.`,
		});
	}
}

export function assertSuccess(context: IHookFunctions, { statusCode, body }: Answer): void {
	if (statusCode >= 200 && statusCode < 300) return;
	const { message: said, code } = (body ?? {}) as { message?: unknown; code?: unknown };
	const reason = typeof said === 'string' ? said : `HTTP status ${statusCode}`;
	throw new NodeApiError(context.getNode(), { message: reason } as JsonObject, {
		message:
			statusCode === 401
				? 'The webhook receiver does not accept the Management Token of the credential'
				: `The webhook receiver refused the registration: ${reason}`,
		description: code === 'target-not-allowed' ? targetAdvice(context) : GENERAL_ADVICE,
		httpCode: String(statusCode),
	});
}

const GENERAL_ADVICE =
	'Nothing was registered. Correct the credential or the receiver, then activate the workflow again.';

// The guard knows hosts with their port, so that is what the operator has to enter.
function targetAdvice(context: IHookFunctions): string {
	const { hostname, port, protocol } = new URL(context.getNodeWebhookUrl('default') ?? '');
	const target = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
	return `Nothing was registered. If ${target} is this n8n, add it to ALLOWED_TARGETS of the receiver and restart the receiver. If it is not: ${WEBHOOK_URL_HINT}`;
}
