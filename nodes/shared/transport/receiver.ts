import type {
	ICredentialTestFunctions,
	IExecuteFunctions,
	IHttpRequestMethods,
	INodeCredentialTestResult,
	JsonObject,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { followProblem, type DeliveryCredential } from '../../../credentials/authenticate';
import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { inspectCredential, readCredential, type NodeContext } from './credential';
import { describeNetworkFailure } from './networkFailure';
import { callServer, toldToProxy, tryServer, urlAt, type ServerAnswer } from './ownServer';

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
type ReceiverResult = { body: Record<string, unknown> } | { failure: ReceiverFailure };

/** What went wrong. Holds no secret: only what the receiver or the network reported. */
export interface ReceiverFailure {
	/** HTTP status, or null when no answer came. */
	status: number | null;
	/** The receiver's error code, or null. */
	code: string | null;
	/** What happened, for the user. */
	message: string;
	/** What the receiver or the network said; part of the message if it is the receiver's. */
	reason: string;
	/** What to do; null when it is to correct the credential or the receiver. */
	advice: string | null;
}

/**
 * The node's credential, with its receiver.
 *
 * @throws NodeOperationError when it has none
 */
export async function readReceiver(context: NodeContext): Promise<ReceiverCredential> {
	return asReceiver(context, await readCredential(context));
}

/** The same of a credential that was read. */
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
	const { status, message, reason, advice } = result.failure;
	const all = status === null ? [`${message}. ${reason}`] : [`${message}.`, advice];
	return { status: 'Error', message: all.filter(Boolean).join(' ') };
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
export const NOT_A_RECEIVER: ReceiverFailure = {
	status: 200,
	code: null,
	message: 'The server at the Receiver URL is not a webhook receiver',
	reason: 'The response has an unexpected format.',
	advice: 'Check the Receiver URL of the credential, and any proxy between n8n and the receiver.',
};

/** For `GET /consumers`, which shows whether the credential works and changes nothing. */
export const CONSUMERS_MESSAGES: FailureMessages = {
	refused: (reason) => `The webhook receiver rejected the request: ${reason}`,
	unknown: NOT_A_RECEIVER.message,
	member: 'data',
};

/** The error n8n shows; the description comes from the node, which knows the consequences. */
export function receiverError(
	context: Pick<IExecuteFunctions, 'getNode'>,
	{ status, message, reason }: Pick<ReceiverFailure, 'status' | 'message' | 'reason'>,
	description: string,
): NodeApiError {
	const error = new NodeApiError(context.getNode(), { message: reason } as JsonObject, {
		description,
		...(status !== null && { httpCode: String(status) }),
	});
	// For status codes it knows, n8n sets its own message, which does not mention the receiver.
	error.message = message;
	return error;
}

/**
 * The same where all there is to say is what was not done, and what to do.
 *
 * @param consequence in sentences; empty where nothing was to be done
 */
export function receiverFailed(
	context: Pick<IExecuteFunctions, 'getNode'>,
	failure: ReceiverFailure,
	consequence = '',
): NodeApiError {
	const { status, reason, advice } = failure;
	const todo = advice ?? 'Correct the credential or the receiver.';
	const parts = [status === null && reason, consequence, todo];
	return receiverError(context, failure, parts.filter(Boolean).join(' '));
}

function receiverUnreachable(error: unknown): ReceiverFailure {
	const { message, description } = describeNetworkFailure(error);
	return {
		status: null,
		code: null,
		message: 'The webhook receiver cannot be reached',
		reason: aboutReceiver([message, description].filter(Boolean).join(' ')),
		advice: 'Check the Receiver URL of the credential.',
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

function refusal(status: number, body: unknown, messages: FailureMessages): ReceiverFailure {
	const answer = (body ?? {}) as { message?: unknown; code?: unknown };
	const reason = typeof answer.message === 'string' ? answer.message : `HTTP status ${status}`;
	const code = typeof answer.code === 'string' ? answer.code : null;
	const failure = { status, code, reason, message: messages.refused(reason), advice: null };
	if (status === 401) {
		const message = 'The webhook receiver does not accept the Receiver Token of the credential';
		return { ...failure, message };
	}
	if (status !== 404) return failure;
	const advice =
		'Check the Receiver URL of the credential, and that the receiver has the same version as this node.';
	return { ...failure, message: messages.unknown, advice };
}
