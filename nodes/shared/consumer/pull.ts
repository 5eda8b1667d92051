import type { NodeApiError } from 'n8n-workflow';

import {
	HELD_BY_ANOTHER,
	pullAnswerSchema,
	type PullAnswer,
	type PullRequest,
} from '../../../webhook-receiver/src/core/pull-contract';
import type { NodeContext } from '../transport/context';
import {
	callReceiver,
	NOT_A_RECEIVER,
	type ReceiverCredential,
	type FailureMessages,
} from '../transport/receiver';
import { apiError, type RequestFailure } from '../transport/serviceError';

export type Pulled = { answer: PullAnswer } | { failure: RequestFailure };

/**
 * How long after its due time to give up on an answer, in milliseconds: the connection may be dead.
 */
const LATE_MS = 15_000;

const FAILURE_MESSAGES: FailureMessages = {
	refused: (reason) => `The webhook receiver returns no events to this n8n: ${reason}`,
	unknown: 'The server at the Receiver URL provides no events',
	member: 'batches',
};

const RIVAL: Pick<RequestFailure, 'message' | 'description'> = {
	message: 'Another n8n with the same identity already gets these events',
	description:
		'It is likely a copy of this n8n that runs on the same data, such as a restored backup. Stop one of the two, or unpublish the workflow there.',
};

/** Pulls once. Failures of the receiver or the network are returned, not thrown. */
export async function sendPull(
	context: NodeContext,
	key: string,
	body: PullRequest,
	{ credential, abortSignal }: { credential: ReceiverCredential; abortSignal?: AbortSignal },
): Promise<Pulled> {
	const path = `/consumers/${encodeURIComponent(key)}/pull`;
	const timeoutMs = (body.openMs ?? 0) + LATE_MS;
	const request = { method: 'POST', path, body, credential, timeoutMs, abortSignal } as const;
	const result = await callReceiver(context, request, FAILURE_MESSAGES);
	if ('failure' in result) {
		const { failure } = result;
		return { failure: isRival(failure) ? { ...failure, ...RIVAL } : failure };
	}
	const answer = pullAnswerSchema.safeParse(result.body);
	return answer.success ? { answer: answer.data } : { failure: NOT_A_RECEIVER };
}

/** Whether retrying is pointless until somebody fixes something. */
export function isRefusal(failure: RequestFailure): boolean {
	return failure.status === 401 || isRival(failure);
}

/** Whether this should prevent publishing: anything but an outage, which passes. */
export function stopsPublishing({ status }: RequestFailure): boolean {
	return status !== null && status < 500 && status !== 429 && status !== 408;
}

/** Whether another n8n with the same identity holds the consumer. */
export function isRival({ code }: RequestFailure): boolean {
	return code === HELD_BY_ANOTHER;
}

/**
 * The error of a consumer that gets nothing. n8n shows a published workflow's error without its
 * description, so the message itself says what to do.
 */
export function consumerError(context: NodeContext, failure: RequestFailure): NodeApiError {
	const { message, description, status } = failure;
	const all = `${message}${status === null ? ':' : '.'} ${description}`;
	const kept = 'The events are kept at the receiver until then.';
	return apiError(context, { ...failure, message: all, description: kept });
}

/** The same for a receiver that has been silent for long; pulling continues. */
export function absenceError(context: NodeContext, failure: RequestFailure): NodeApiError {
	const error = consumerError(context, failure);
	error.message = `No events from the webhook receiver for ten minutes. ${error.message} This node keeps trying; you are notified only once.`;
	return error;
}

/** n8n itself could not read the credential. */
export function unreadableCredential(error: unknown): RequestFailure {
	const message = 'The credential of the webhook receiver cannot be read';
	const description = `${(error as Error).message} Choose it again in this node.`;
	return { status: null, code: null, message, description };
}
