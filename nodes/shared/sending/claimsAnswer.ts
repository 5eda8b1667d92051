import type { IDataObject } from 'n8n-workflow';

import {
	claimsAnswerSchema,
	type Claim as StoredClaim,
	type ClaimsRequest,
} from '../../../webhook-receiver/src/core/claim-contract';
import { NO_RECEIVER, type ReceiverFailure } from '../transport/receiver';
import { otherUse, type Claim, type ClaimKey } from './claims';

/** One claim for each change, or why the answer cannot be taken for that. */
export function answeredClaims(
	body: Record<string, unknown>,
	{ claims: changes }: ClaimsRequest,
): StoredClaim[] | ReceiverFailure {
	if (!Array.isArray(body.claims)) return NO_RECEIVER;
	const malformed = (reason: string): ReceiverFailure => ({
		status: 200,
		code: null,
		reason,
		message: `The webhook receiver's answer about the Send Once Keys cannot be read: ${reason}`,
		advice:
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

/** What a stored claim means for who asked for it. */
export function claimOf(stored: StoredClaim | undefined, wanted: ClaimKey['usedFor']): Claim {
	if (stored === undefined) return { state: 'busy' };
	const { state, mine, answer, reason, usedFor, updatedAt } = stored;
	if (state === 'leaving' && mine) return { state: 'ours' };
	const other = otherUse(wanted, usedFor ?? null, updatedAt);
	if (other !== null) return other;
	if (state === 'sent') return { state, output: (answer ?? {}) as IDataObject };
	if (state === 'unknown') return { state, reason: reason ?? 'The reason is unknown.' };
	return { state: 'busy' };
}
