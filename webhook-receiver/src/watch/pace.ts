import { sha256Hex } from '../fingerprint.ts';

/** From an age on, how long to wait between two polls; both in milliseconds. */
export interface PaceStep {
	age: number;
	delay: number;
}

/** How much earlier or later than the pace says, so that what began together does not stay so. */
const SPREAD = 0.2;

/** After the first poll that told nothing; each further one in a row doubles it. */
const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 60 * 60_000;

/** After the service has said for the first time that it knows no such message; likewise. */
const FIRST_LOOK_AGAIN_MS = 10 * 60_000;
const LONGEST_LOOK_AGAIN_MS = 2 * 60 * 60_000;

/**
 * The service may send a webhook a moment before it answers with what that tells. A poll so long after
 * one is not answered from before it.
 */
export const ANSWERS_LAG_MS = 30_000;

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

/**
 * When to try again after so many polls that told nothing: soon, then less and less often whatever the
 * pace, so that a message that can't be read takes hardly a place in the line.
 */
export function nextTry(messageId: string, failures: number, now: number): number {
	const delay = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20), LONGEST_RETRY_MS);
	return Math.round(now + delay * spread(messageId, now));
}

/** When to look again for a message of which the service has so often said that it is not there. */
export function nextLook(messageId: string, times: number, now: number): number {
	const delay = Math.min(FIRST_LOOK_AGAIN_MS * 2 ** Math.min(times - 1, 20), LONGEST_LOOK_AGAIN_MS);
	return Math.round(now + delay * spread(messageId, now));
}

/** From 0.8 to 1.2, by message and time: evenly, and the same again for who looks twice. */
function spread(messageId: string, now: number): number {
	const evenly = parseInt(sha256Hex(`${messageId} ${now}`).slice(0, 8), 16) / 0xffffffff;
	return 1 - SPREAD + 2 * SPREAD * evenly;
}
