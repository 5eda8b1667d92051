import { createLocalJWKSet, errors } from 'jose';
import type { CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWSHeaderParameters } from 'jose';
import { request } from 'undici';
import { HttpError } from '../../core/http-error.ts';
import { outgoing } from '../../http/outgoing.ts';

// Not jose's `createRemoteJWKSet`: it uses the wall clock, fetches on every request while fetching
// fails, and reports a key as unknown during its own cool-down.

const TIMEOUT_MS = 5_000;
/** Between two fetches, whatever the first returned: invalid tokens must not cause a flood of requests. */
const COOL_DOWN_MS = 30_000;
/** After this keys are fetched again, since one may have been withdrawn. */
const FRESH_MS = 10 * 60_000;
/** How long they stay valid while fetching fails. */
const USABLE_MS = 60 * 60_000;

/** Any set of keys is far smaller; one without end would fill the memory. */
const LARGEST_SET = 1024 * 1024;

type FindKey = (header?: JWSHeaderParameters, token?: FlattenedJWSInput) => Promise<CryptoKey>;

/**
 * Finds the keys that the service publishes (JWKS, RFC 7517). One fetch at a time. If a key can't be
 * looked up the answer is 503, so that the service retries, and its cause says why; a key is rejected only
 * if a fresh set lacks it.
 *
 * @param elapsed monotonic time in milliseconds
 */
export function publishedKeys(url: string, elapsed: () => number): FindKey {
	const dispatcher = outgoing({ maxResponseSize: LARGEST_SET });
	let found: FindKey | null = null;
	let fetchedAt = -Infinity;
	let triedAt = -Infinity;
	let underWay: Promise<boolean> | null = null;
	/** Why the last fetch failed; null if it did not. */
	let fault: string | null = null;

	const fetchKeys = async (): Promise<boolean> => {
		const began = elapsed();
		triedAt = began;
		try {
			const signal = AbortSignal.timeout(TIMEOUT_MS);
			const { statusCode, body } = await request(url, { dispatcher, signal });
			const text = await body.text();
			if (statusCode !== 200) throw new Error(`answers ${statusCode}`);
			found = createLocalJWKSet(parseJson(text) as JSONWebKeySet);
			fetchedAt = began;
			fault = null;
			return true;
		} catch (error) {
			fault = faultOf(error as Error);
			return false;
		} finally {
			underWay = null;
		}
	};
	/** Whether the keys are now newer than this call. */
	const renew = async () => {
		if (underWay === null && elapsed() - triedAt < COOL_DOWN_MS) return false;
		return (underWay ??= fetchKeys());
	};

	return async (header, token) => {
		let isNew = elapsed() - fetchedAt >= FRESH_MS && (await renew());
		for (;;) {
			if (found === null || elapsed() - fetchedAt >= USABLE_MS) throw unavailable(fault);
			try {
				return await found(header, token);
			} catch (error) {
				if (!(error instanceof errors.JWKSNoMatchingKey) || isNew) throw error;
				isNew = await renew();
				if (!isNew) throw unavailable(fault);
			}
		}
	};
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new Error('answers with something that is no JSON');
	}
}

function faultOf(error: Error & { code?: string }): string {
	if (error instanceof errors.JWKSInvalid) return 'answers with JSON that is no set of keys (JWKS)';
	if (error.name === 'TimeoutError') return `does not answer within ${TIMEOUT_MS / 1_000} s`;
	if (error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'answers with more than 1 MB';
	return error.code === undefined ? error.message : `can't be reached (${error.code})`;
}

/** The cause is for the log. */
function unavailable(fault: string | null): HttpError {
	const why = fault ?? 'had no such key when it was last asked, less than 30 s ago';
	const message = 'The keys that sign events cannot be fetched.';
	const cause = new Error(`INGEST_JWT_JWKS_URL ${why}`);
	return new HttpError(503, 'keys-unavailable', message, undefined, { cause });
}
