import type {
	ICredentialTestFunctions,
	IExecuteFunctions,
	IHttpRequestMethods,
	INodeCredentialTestResult,
	NodeApiError,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { followProblem, type DeliveryCredential } from '../../../credentials/authenticate';
import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import type { NodeContext } from './context';
import { inspectCredential, readCredential } from './credential';
import { describeNetworkFailure } from './networkFailure';
import { callServer, toldToProxy, tryServer, urlAt, type ServerAnswer } from './ownServer';
import { apiError, type RequestFailure } from './serviceError';

/** A credential with the address of a webhook receiver, and the token for it. */
export type ReceiverCredential = DeliveryCredential &
	Required<Pick<DeliveryCredential, 'receiverUrl' | 'receiverToken'>>;

/** A request to the receiver's management API. */
interface ReceiverRequest {
	method: IHttpRequestMethods;
	path: string;
	/** Goes out as JSON. */
	body?: object;
	/** For frequent callers, since reading it takes n8n 45 ms; default: read from the node. */
	credential?: ReceiverCredential;
	/** Timeout in milliseconds. */
	timeoutMs?: number;
	/** Ends the request; the result is a failure. */
	abortSignal?: AbortSignal;
}

/** A node's wording for failures of its own request. */
export interface FailureMessages {
	/** The receiver refused, and why. */
	refused(reason: string): string;
	/** The server has no such endpoint: it is an older receiver, or something else. */
	unknown: string;
	/** What the receiver's answer always has, and HTML with status 200 has not. */
	member: string;
}

/** The receiver's answer, or why the request failed. */
type ReceiverResult = { body: Record<string, unknown> } | { failure: RequestFailure };

/**
 * The node's credential, with its receiver.
 *
 * @throws NodeOperationError when it has none
 */
export async function readReceiver(context: NodeContext): Promise<ReceiverCredential> {
	return asReceiver(context, await readCredential(context));
}

/** The same, for a credential that was read. */
export function asReceiver(
	context: NodeContext,
	credential: DeliveryCredential,
): ReceiverCredential {
	if (credential.followWith !== 'receiver') {
		throw new NodeOperationError(context.getNode(), 'The credential has no webhook receiver', {
			description:
				"Open the credential, choose 'Webhook Receiver' under 'Follow Letters With', and enter its address and token.",
		});
	}
	const problem = followProblem(credential);
	if (problem !== null) throw new NodeOperationError(context.getNode(), problem);
	return credential as ReceiverCredential;
}

/** Whether this node's credential has a receiver. */
export async function hasReceiver(context: IExecuteFunctions): Promise<boolean> {
	return (await inspectCredential(context)).credential.followWith === 'receiver';
}

/**
 * Sends a request to the receiver through n8n's authenticated helper, once. Failures of the receiver or the
 * network are returned, not thrown.
 *
 * @throws NodeOperationError when the credential has no receiver
 */
export async function callReceiver(
	context: NodeContext,
	{ method, path, body, credential, timeoutMs = 30_000, abortSignal }: ReceiverRequest,
	messages: FailureMessages,
): Promise<ReceiverResult> {
	const data = credential ?? (await readReceiver(context));
	const url = urlAt(data.receiverUrl, path);
	const request = { method, url, body, timeout: timeoutMs, abortSignal };
	return readReceiverAnswer(await callServer(context, data, request), messages);
}

/** Tests this part of the credential for the editor's button. */
export async function testReceiver(
	functions: ICredentialTestFunctions,
	credential: DeliveryCredential,
): Promise<INodeCredentialTestResult> {
	const uri = urlAt(credential.receiverUrl ?? '', '/consumers');
	const answer = await tryServer(functions, credential, { uri });
	const result = readReceiverAnswer(answer, CONSUMERS_MESSAGES);
	const told = toldToProxy(answer, 'Receiver Token');
	if ('body' in result && told) return { status: 'Error', message: told };
	if ('body' in result) return { status: 'OK', message: 'Connection successful!' };
	const { message, description } = result.failure;
	return { status: 'Error', message: `${message}. ${description}` };
}

function readReceiverAnswer(answer: ServerAnswer, messages: FailureMessages): ReceiverResult {
	if ('unreachable' in answer) return { failure: receiverUnreachable(answer.unreachable) };
	const { statusCode, body } = answer;
	if (statusCode < 200 || statusCode >= 300) {
		return { failure: refusal(statusCode, body, messages) };
	}
	const isOwn = isRecord(body) && Object.hasOwn(body, messages.member);
	return isOwn ? { body } : { failure: NOT_A_RECEIVER };
}

/** Something else answers. */
export const NOT_A_RECEIVER: RequestFailure = {
	status: 200,
	code: null,
	message: 'The server at the Receiver URL is not a webhook receiver',
	description:
		'Check the Receiver URL of the credential, and any proxy between n8n and the receiver.',
};

/** For `GET /consumers`, which shows whether the credential works and changes nothing. */
const CONSUMERS_MESSAGES: FailureMessages = {
	refused: (reason) => `The webhook receiver rejected the request: ${reason}`,
	unknown: NOT_A_RECEIVER.message,
	member: 'data',
};

/**
 * The error n8n shows.
 *
 * @param consequence what was not done, in sentences; empty where nothing was to be done
 */
export function receiverFailed(
	context: Pick<IExecuteFunctions, 'getNode'>,
	failure: RequestFailure,
	consequence = '',
): NodeApiError {
	const description = [consequence, failure.description].filter(Boolean).join(' ');
	return apiError(context, { ...failure, description });
}

function receiverUnreachable(error: unknown): RequestFailure {
	const { message, description } = describeNetworkFailure(error);
	const reason = aboutReceiver([message, description].filter(Boolean).join(' '));
	return {
		status: null,
		code: null,
		message: 'The webhook receiver cannot be reached',
		description: `${reason} Check the Receiver URL of the credential.`,
	};
}

// Messages for network faults speak of the delivery service and its credential.
function aboutReceiver(text: string): string {
	return text
		.replaceAll('Base URL', 'Receiver URL')
		.replaceAll(/\bservice\b/g, 'receiver')
		.replace(
			'paste the certificate of that authority into CA Certificate',
			'start n8n with NODE_EXTRA_CA_CERTS set to a file that has the certificate of that authority',
		);
}

function refusal(status: number, body: unknown, messages: FailureMessages): RequestFailure {
	const answer = (body ?? {}) as { message?: unknown; code?: unknown };
	const reason = typeof answer.message === 'string' ? answer.message : `HTTP status ${status}`;
	const code = typeof answer.code === 'string' ? answer.code : null;
	const isUnwell = status >= 500;
	const failure = {
		status,
		code,
		message: messages.refused(reason),
		description: isUnwell ? 'Check that it is running.' : 'Correct the credential or the receiver.',
	};
	if (status === 401) {
		const message = 'The webhook receiver does not accept the Receiver Token of the credential';
		return { ...failure, message };
	}
	if (status !== 404) return failure;
	const description =
		'Check the Receiver URL of the credential, and that the receiver has the same version as this node.';
	return { ...failure, message: messages.unknown, description };
}
