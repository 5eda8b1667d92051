import {
	HELD_BY_ANOTHER,
	pullAnswerSchema,
	type PullAnswer,
	type PullRequest,
} from '../../../webhook-receiver/src/core/pull-contract';
import {
	callReceiver,
	type ReceiverContext,
	type ReceiverCredential,
	type ReceiverFailure,
	type ReceiverWords,
} from '../receiver';

export type Pulled = { answer: PullAnswer } | { failure: ReceiverFailure };

/** An answer is given up so long after it was due, in milliseconds: the connection may be dead. */
const GRACE_MS = 15_000;

const WORDS: ReceiverWords = {
	refused: (reason) => `The webhook receiver gives this n8n no events: ${reason}`,
	unknown: 'What answers at the Receiver URL gives out no events',
};

const RIVAL: Pick<ReceiverFailure, 'message' | 'advice'> = {
	message: 'Another n8n with the same identity already gets these events',
	advice:
		'It is likely a copy of this n8n that runs on the same data, such as a restored backup. Stop one of the two, or unpublish the workflow there.',
};

/** Pulls once (design § 7). Whatever the receiver or the network does is a result. */
export async function pull(
	context: ReceiverContext,
	key: string,
	body: PullRequest,
	{ credential, abortSignal }: { credential: ReceiverCredential; abortSignal?: AbortSignal },
): Promise<Pulled> {
	const path = `/consumers/${encodeURIComponent(key)}/pull`;
	const timeoutMs = (body.holdMs ?? 0) + GRACE_MS;
	const request = { method: 'POST', path, body, credential, timeoutMs, abortSignal } as const;
	const result = await callReceiver(context, request, WORDS);
	if ('failure' in result) {
		const { failure } = result;
		return { failure: isRival(failure) ? { ...failure, ...RIVAL } : failure };
	}
	const answer = pullAnswerSchema.safeParse(result.body);
	return answer.success ? { answer: answer.data } : { failure: NO_ANSWER };
}

/** Its execution would never start: a page with status 200 must not pass for "no events". */
const NO_ANSWER: ReceiverFailure = {
	status: 200,
	code: null,
	message: 'What answers at the Receiver URL is not a webhook receiver',
	reason: 'The answer has another form.',
	advice: 'Check the Receiver URL of the credential, and what stands between n8n and the receiver.',
};

/** Whether asking again is no use until somebody corrects something. */
export function isFinal(failure: ReceiverFailure): boolean {
	return failure.status === 401 || isRival(failure);
}

/** Whether a workflow is not to be published with this: anything but an outage, which passes. */
export function isRefusal({ status }: ReceiverFailure): boolean {
	return status !== null && status < 500 && status !== 429 && status !== 408;
}

/** Whether another n8n with the same identity has the consumer. */
export function isRival({ code }: ReceiverFailure): boolean {
	return code === HELD_BY_ANOTHER;
}
