import { showUnseen } from '../../../webhook-receiver/src/core/unseen';
import { differences, type UsedFor } from '../../../webhook-receiver/src/core/used-for';
import { rowName } from '../fields/invalidItem';
import type { Failure } from '../transport/serviceError';
import type { Entry, Posting, Verdict } from './entry';

/** The code of an error that says that a letter may have been sent. */
export const OUTCOME_UNKNOWN = 'outcome-unknown';

/** The service may have carried it out; a repeat could do it twice. */
export function unknownOutcome(
	{ unclear }: Pick<Posting<never>, 'unclear'>,
	reason: string,
	itemIndex: number,
): Failure {
	return {
		message: `Outcome unknown: ${unclear.mayBe}. ${reason} [${rowName(itemIndex)}]`,
		description: unclear.advice,
		code: OUTCOME_UNKNOWN,
		status: null,
	};
}

/** A key means one letter, and it was used for another. `on` is null if it is not known when. */
export function keyUsedError(
	{ itemIndex, once }: Entry,
	{ usedFor, on }: { usedFor: UsedFor; on: string | null },
): Failure {
	const differs = once?.usedFor ? differences(usedFor, once.usedFor) : [];
	const when = on === null ? 'before' : `on ${on.slice(0, 10)}`;
	const what = usedFor.to ? `a letter to ${usedFor.to}` : 'another letter';
	return {
		message: `This key was used for ${what} ${when}. Nothing was sent for it. [${rowName(itemIndex)}]`,
		description: `The 'Send Once Key' "${showUnseen(once?.text ?? '')}" stands for one letter, and this one differs in its ${differs.join(' and ')}. Give each letter a key of its own: add what tells them apart, such as the recipient or the customer.`,
		code: 'key-used',
		status: null,
		data: { differs },
	};
}

/** The operator of the receiver has set a limit. */
export function limitError({ itemIndex }: Entry, reason: string): Failure {
	return {
		message: `No more letters may be sent now. Nothing was sent for it. [${rowName(itemIndex)}]`,
		description: `${reason} Send it later, or have the operator of the receiver raise the limit.`,
		code: 'letter-limit',
		status: null,
	};
}

/** The verdict on an entry that is still leaving: an earlier try, or this one, was interrupted. */
export function interrupted(posting: Pick<Posting<never>, 'unclear'>, itemIndex: number): Verdict {
	const reason = 'An earlier attempt was interrupted while it was being sent.';
	return { state: 'unknown', error: unknownOutcome(posting, reason, itemIndex) };
}
