import { readRetryAfter } from '../../../webhook-receiver/src/core/retry-after';
import type { RequestFailure } from './serviceError';

/**
 * Tries in all, the first included. A service that answers gets more tries than a failing network, which a
 * user in the editor should hear of within seconds.
 */
const MAX_TRIES = { answered: 6, unanswered: 4 };

/**
 * How long a request may be put off, in milliseconds from its first try, when the service itself asks for a
 * later retry: a mailing at the rate limit gets many such answers, and they do no harm.
 */
const ANSWERED_PATIENCE = 10 * 60_000;

/** The same for a failing network. */
const UNANSWERED_PATIENCE = 60_000;

const FIRST_WAIT = 500;

/** The longest single wait, in milliseconds; a longer one is left to the user. */
const LONGEST_WAIT = 120_000;

/**
 * Whether the service carried out a request that failed. `no`: certainly not · `unknown`: it may have, since
 * the request left and no clear answer came.
 */
export type Carried = 'no' | 'unknown';

/** What decides whether a failed request is repeated. */
export interface FailedTry {
	/** A repeated GET does no harm; a repeated POST could send a letter twice. */
	isRepeatable: boolean;
	error: RequestFailure;
	/** Whether all of the request was handed over; assumed where it is not known. */
	hasLeft?: boolean;
}

/** How often a request has gone out, and when first (milliseconds since 1970). */
interface Tries {
	count: number;
	since: number;
}

// One side refused the other's certificate, which does not pass by itself.
const CERTIFICATE_REFUSED = /CERT|UNABLE_TO_VERIFY|UNKNOWN_CA/;

/** These statuses mean that the request was not taken, whether a proxy or the service says so. */
const BEFORE_IT_IS_TAKEN = [400, 401, 403, 404, 405, 407, 429, 431];

/** The same, as long as the body is under way; a limit on what was forwarded comes later. */
const TOO_LARGE = 413;

/**
 * What proxies say when they have given up on a request they may have forwarded. The interface has neither,
 * so these stay unclear even in its own shape.
 */
const GIVEN_UP = [408, 499];

/**
 * Whether the service may have carried out a request that ended this way. Only the interface's own answer
 * below 500 is a no, or a status that means the request was never taken. All else may come from a proxy that
 * had forwarded it, a 503 with `Retry-After` included.
 */
export function carriedOut({ error: { status, isOwn }, hasLeft = true }: FailedTry): Carried {
	if (status === null) return hasLeft ? 'unknown' : 'no';
	if (BEFORE_IT_IS_TAKEN.includes(status)) return 'no';
	if (status === TOO_LARGE && !hasLeft) return 'no';
	const isRefusal = status >= 400 && status < 500 && !GIVEN_UP.includes(status);
	return isRefusal && isOwn === true ? 'no' : 'unknown';
}

/**
 * Milliseconds to wait before a retry; null if a retry is unsafe or useless.
 *
 * @param tries how often it has gone out by now, and since when (milliseconds)
 * @param now milliseconds since 1970, for a `Retry-After` that is a date
 * @param random from 0 to 1, spreads requests that would all come back at once
 */
export function waitBeforeRetry(
	failed: FailedTry,
	tries: Tries,
	now: number,
	random: number,
): number | null {
	if (!isWorthwhile(failed)) return null;
	if (!failed.isRepeatable && carriedOut(failed) === 'unknown') return null;
	const requested = requestedWait(failed.error.retryAfter, now);
	const wait = requested ?? FIRST_WAIT * 2 ** (tries.count - 1);
	const spread = wait * (1 + random / 4);
	if (spread > LONGEST_WAIT) return null;
	if (requested !== null) return now + spread - tries.since <= ANSWERED_PATIENCE ? spread : null;
	const { answered, unanswered } = MAX_TRIES;
	const isAnswered = failed.error.status !== null;
	// A try that times out takes minutes; a few of them would take a quarter of an hour.
	if (!isAnswered && now - tries.since > UNANSWERED_PATIENCE) return null;
	return tries.count < (isAnswered ? answered : unanswered) ? spread : null;
}

/** Whether the fault behind a status may pass by itself: the service is busy, or failed. */
export function isTransient(status: number): boolean {
	return status === 429 || status >= 500;
}

// A fault of the network or the service may pass; a wrong request stays wrong.
function isWorthwhile({ error: { status, code, isLocal } }: FailedTry): boolean {
	if (isLocal || code === 'ERR_CANCELED') return false;
	if (status !== null) return isTransient(status);
	if (code === null || CERTIFICATE_REFUSED.test(code)) return false;
	return !/TLS|SSL|PROTO|ENOTFOUND/.test(code);
}

// Never shorter than the first wait: a service that says 0, or whose clock is slow, would otherwise be
// hammered for as long as the patience lasts.
function requestedWait(retryAfter: string | null | undefined, now: number): number | null {
	const wait = readRetryAfter(retryAfter, now);
	return wait === null ? null : Math.max(FIRST_WAIT, wait);
}
