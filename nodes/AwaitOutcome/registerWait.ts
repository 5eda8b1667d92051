import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IN8nHttpFullResponse,
	JsonObject,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Wait } from '../../webhook-receiver/src/wait/wait-contract';
import { describeNetworkFailure } from '../shared/serviceError';
import { WEBHOOK_URL_HINT, webhookUrlProblem } from '../RegisteredDeliveryTrigger/webhookUrl';
import { waitSecret } from './waitSecret';

export const RECEIVER_CREDENTIAL = 'registeredDeliveryReceiverApi';

export interface ReceiverCredential {
	receiverUrl: string;
	managementToken: string;
}

type Answer = Pick<IN8nHttpFullResponse, 'statusCode'> & { body: unknown };

/**
 * Has the receiver wait (design § 10). Once this has returned the receiver will call; if it throws,
 * nothing is registered, as far as that can be known.
 */
export async function registerWait(
	context: IExecuteFunctions,
	waitId: string,
	asked: Omit<Wait, 'resumeUrl' | 'secret'>,
): Promise<void> {
	const { receiverUrl, managementToken } =
		await context.getCredentials<ReceiverCredential>(RECEIVER_CREDENTIAL);
	const resumeUrl = readResumeUrl(context, receiverUrl);
	const wait: Wait = { ...asked, resumeUrl, secret: waitSecret(managementToken, waitId) };
	const url = `${receiverUrl.trim().replace(/\/+$/, '')}/waits/${waitId}`;
	try {
		const answer = await call(context, 'PUT', url, wait);
		assertSuccess(context, answer, resumeUrl);
		hintIfUnwatched(context, answer, asked.messages);
	} catch (error) {
		// It may have been registered, and only the answer got lost.
		await call(context, 'DELETE', url).catch(() => undefined);
		throw error instanceof NodeApiError
			? error
			: new NodeOperationError(context.getNode(), error as Error);
	}
}

function readResumeUrl(context: IExecuteFunctions, receiverUrl: string): string {
	const url = String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0));
	const problem = webhookUrlProblem(url, receiverUrl);
	if (problem === null) return url;
	const { message, description } = problem;
	throw new NodeOperationError(context.getNode(), message, { description });
}

async function call(
	context: IExecuteFunctions,
	method: IHttpRequestMethods,
	url: string,
	body?: Wait,
): Promise<Answer> {
	try {
		return (await context.helpers.httpRequestWithAuthentication.call(context, RECEIVER_CREDENTIAL, {
			method,
			url,
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
			description: `${message} ${description} The execution did not go to sleep. Check the Receiver URL of the credential.`,
		});
	}
}

function assertSuccess(
	context: IExecuteFunctions,
	{ statusCode, body }: Answer,
	resumeUrl: string,
): void {
	if (statusCode >= 200 && statusCode < 300) return;
	const { message: said, code } = (body ?? {}) as { message?: unknown; code?: unknown };
	const reason = typeof said === 'string' ? said : `HTTP status ${statusCode}`;
	throw new NodeApiError(context.getNode(), { message: reason } as JsonObject, {
		message: titleOf(statusCode, reason),
		description: `The execution did not go to sleep. ${adviceOf(statusCode, code, resumeUrl)}`,
		httpCode: String(statusCode),
	});
}

function titleOf(statusCode: number, reason: string): string {
	if (statusCode === 401) {
		return 'The webhook receiver does not accept the Management Token of the credential';
	}
	if (statusCode === 404) return 'The webhook receiver does not know how to wait for outcomes';
	return `The webhook receiver refused to wait: ${reason}`;
}

function adviceOf(statusCode: number, code: unknown, resumeUrl: string): string {
	if (statusCode === 404) {
		return 'Check the Receiver URL of the credential, and that the receiver has the version of this node.';
	}
	if (code !== 'target-not-allowed') return 'Correct the credential or the receiver.';
	const { hostname, port, protocol } = new URL(resumeUrl);
	const target = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
	return `If ${target} is this n8n, add it to ALLOWED_TARGETS of the receiver and restart the receiver. If it is not: ${WEBHOOK_URL_HINT}`;
}

/** The service has webhooks for tracked mail only. */
function hintIfUnwatched(
	context: IExecuteFunctions,
	{ body }: Answer,
	messages: Wait['messages'],
): void {
	const { watching } = (body ?? {}) as { watching?: unknown };
	const isTracked = ({ messageType }: Wait['messages'][number]) =>
		messageType === 'AES' || messageType === 'MT';
	if (watching === true || messages.every(isTracked)) return;
	context.addExecutionHints({
		type: 'warning',
		location: 'outputPane',
		message:
			'The webhook receiver does not watch letters, and the delivery service tells it of tracked mail only. Registered and simple letters will leave by "No outcome yet". Set the SERVICE_ variables of the receiver.',
	});
}
