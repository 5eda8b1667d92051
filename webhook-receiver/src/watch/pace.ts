import { sha256Hex } from '../fingerprint.ts';

/** From an age on, how long to wait between two polls; both in milliseconds. */
export interface PaceStep {
	age: number;
	delay: number;
}

/** How much earlier or later than the pace says, so that what began together does not stay so. */
const SPREAD = 0.2;

/** After the first poll that told nothing; each further one doubles it. */
const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 60 * 60_000;

/**
 * When to poll a message next: often while it is young, rarely when old. Its age counts from the last
 * change, since another one often follows soon.
 *
 * @param steps by rising age, the first at 0
 */
export function nextPoll(
	steps: readonly PaceStep[],
	{ messageId, since, now }: { messageId: string; since: number; now: number },
): number {
	const delay = steps.findLast(({ age }) => now - since >= age)?.delay ?? steps[0]?.delay ?? 0;
	return Math.round(now + delay * spread(messageId, now));
}

/** When to try again after a poll that told nothing: soon, but no sooner than the pace allows. */
export function nextTry(
	steps: readonly PaceStep[],
	poll: { messageId: string; since: number; now: number; failures: number },
): number {
	const { messageId, now, failures } = poll;
	const delay = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20), LONGEST_RETRY_MS);
	return Math.min(nextPoll(steps, poll), Math.round(now + delay * spread(messageId, now)));
}

/** From 0.8 to 1.2, by message and time: evenly, and the same again for who looks twice. */
function spread(messageId: string, now: number): number {
	const evenly = parseInt(sha256Hex(`${messageId} ${now}`).slice(0, 8), 16) / 0xffffffff;
	return 1 - SPREAD + 2 * SPREAD * evenly;
}
