import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { DeliveryCredential } from '../../../credentials/authenticate';
import {
	claimsAnswerSchema,
	type Claim as StoredClaim,
	type ClaimsRequest,
} from '../../../webhook-receiver/src/core/claim-contract';
import { uncancelled } from '../transport/context';
import {
	asReceiver,
	callReceiver,
	receiverFailed,
	NOT_A_RECEIVER,
	type FailureMessages,
} from '../transport/receiver';
import { isTransient } from '../transport/retryPolicy';
import type { RequestFailure } from '../transport/serviceError';

export type ClaimChange = ClaimsRequest['claims'][number];

/** Tries per request to the receiver; all are repeatable, since the holder stays the same. */
const TRIES = 4;
const FIRST_WAIT = 250;

/** Milliseconds after which an unreachable receiver gets only one request per claim. */
const AWAY_PATIENCE = 30_000;

/** Keys per request; half as many where what is kept under them is too much for one answer. */
const KEYS_AT_ONCE = 250;
const TOO_LARGE = 413;

const FAILURE_MESSAGES: FailureMessages = {
	refused: (reason) => `The webhook receiver did not record the claims on the letters: ${reason}`,
	unknown: 'The webhook receiver does not record claims on letters',
	member: 'claims',
};

/** Tells a receiver what becomes of claims. */
export class ClaimRequests {
	private readonly context: IExecuteFunctions;
	private readonly credential: DeliveryCredential;
	/** Since when no request has been answered. */
	private awaySince: number | null = null;

	constructor(context: IExecuteFunctions, credential: DeliveryCredential) {
		this.context = context;
		this.credential = credential;
	}

	/** Gives each change with the claim as it is then. */
	async *put(changes: readonly ClaimChange[]): AsyncGenerator<[ClaimChange, StoredClaim]> {
		for (let first = 0, size = KEYS_AT_ONCE; first < changes.length; ) {
			const claims = changes.slice(first, first + size);
			const answer = await this.request({ claims });
			if (answer === null) {
				size = Math.ceil(claims.length / 2);
				continue;
			}
			first += claims.length;
			for (const [at, change] of claims.entries()) yield [change, answer[at]];
		}
	}

	/** @returns null if it, or its answer, is too large and it can be split */
	private async request(body: ClaimsRequest): Promise<StoredClaim[] | null> {
		const context = uncancelled(this.context);
		const credential = asReceiver(context, this.credential);
		for (let count = 1; ; count++) {
			const result = await callReceiver(
				context,
				{ method: 'PUT', path: '/claims', body, credential },
				FAILURE_MESSAGES,
			);
			if ('body' in result) {
				this.awaySince = null;
				const claims = answeredClaims(result.body, body);
				if (Array.isArray(claims)) return claims;
				throw receiverFailed(this.context, claims, NOTHING_LEFT);
			}
			const { status } = result.failure;
			if (status === TOO_LARGE && body.claims.length > 1) return null;
			const isTransientFailure = status === null || isTransient(status);
			this.awaySince ??= Date.now();
			if (!isTransientFailure || count === TRIES || Date.now() - this.awaySince > AWAY_PATIENCE) {
				throw receiverFailed(this.context, result.failure, NOTHING_LEFT);
			}
			await sleep(FIRST_WAIT * 2 ** (count - 1) * (1 + Math.random() / 4));
		}
	}
}

/** One claim for each change, or why the answer cannot be taken for that. */
function answeredClaims(
	body: Record<string, unknown>,
	{ claims: changes }: ClaimsRequest,
): StoredClaim[] | RequestFailure {
	if (!Array.isArray(body.claims)) return NOT_A_RECEIVER;
	const malformed = (reason: string): RequestFailure => ({
		status: 200,
		code: null,
		message: `The webhook receiver's answer about the claims on the letters cannot be read: ${reason}`,
		description:
			'Check that the receiver has the same version as this node, and any proxy between n8n and the receiver.',
	});
	const { data, error } = claimsAnswerSchema.safeParse(body);
	if (error) {
		const [{ path, message }] = error.issues;
		return malformed(`${path.join('.')}: ${message}`);
	}
	const { claims } = data;
	if (claims.length !== changes.length) {
		return malformed(`it has ${claims.length} of ${changes.length} claims`);
	}
	const wrong = claims.findIndex(
		({ key, state }, at) =>
			key !== changes[at].key || (state === 'free' && changes[at].state !== 'free'),
	);
	return wrong < 0 ? claims : malformed(`claims.${wrong} answers something else`);
}

const NOTHING_LEFT =
	'Without the receiver, the node cannot tell whether these letters were already sent, so it sent none of them.';
