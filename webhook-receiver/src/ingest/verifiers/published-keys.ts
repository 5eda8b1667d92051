import { createLocalJWKSet, errors } from 'jose';
import type { CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWSHeaderParameters } from 'jose';
import { HttpError } from '../../core/http-error.ts';

// Not jose's own `createRemoteJWKSet`: it goes by the wall clock, fetches at every request while that
// fails, and calls a key unknown that it may not look for yet.

const TIMEOUT_MS = 5_000;
/** Between two fetches, however the first ended: junk must not become a flood of requests. */
const COOL_DOWN_MS = 30_000;
/** Then keys are fetched anew, since one may have been withdrawn. */
const FRESH_MS = 10 * 60_000;
/** So long they are good while that fails. */
const USABLE_MS = 60 * 60_000;

type FindKey = (header?: JWSHeaderParameters, token?: FlattenedJWSInput) => Promise<CryptoKey>;

/**
 * Finds the keys that the service publishes (JWKS, RFC 7517). One fetch at a time. Whatever keeps us
 * from knowing a key is our trouble: 503, so that the service tries again; only a key that a fresh
 * set lacks is refused.
 *
 * @param elapsed monotonic time in milliseconds
 */
export function publishedKeys(url: string, elapsed: () => number): FindKey {
	let found: FindKey | null = null;
	let fetchedAt = -Infinity;
	let triedAt = -Infinity;
	let underWay: Promise<boolean> | null = null;

	const fetchKeys = async (): Promise<boolean> => {
		const began = elapsed();
		triedAt = began;
		try {
			const signal = AbortSignal.timeout(TIMEOUT_MS);
			const response = await fetch(url, { redirect: 'error', signal });
			if (!response.ok) return false;
			found = createLocalJWKSet((await response.json()) as JSONWebKeySet);
			fetchedAt = began;
			return true;
		} catch {
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
			if (found === null || elapsed() - fetchedAt >= USABLE_MS) throw unavailable();
			try {
				return await found(header, token);
			} catch (error) {
				if (!(error instanceof errors.JWKSNoMatchingKey) || isNew) throw error;
				isNew = await renew();
				if (!isNew) throw unavailable();
			}
		}
	};
}

function unavailable(): HttpError {
	return new HttpError(503, 'keys-unavailable', 'The keys that sign events cannot be fetched.');
}
