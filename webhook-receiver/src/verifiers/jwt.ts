import { createHash } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
	base64url,
	compactVerify,
	createLocalJWKSet,
	decodeProtectedHeader,
	errors,
	flattenedVerify,
	UnsecuredJWT,
} from 'jose';
import type {
	CryptoKey,
	FlattenedJWSInput,
	JSONWebKeySet,
	JWSHeaderParameters,
	VerifyOptions,
} from 'jose';
import { request } from 'undici';
import { equalInConstantTime } from '../core/fingerprint.ts';
import { HttpError } from '../core/http-error.ts';
import { headerText, REPLAY_WINDOW_MS } from '../core/verifiers/read-headers.ts';
import type { SignedRequest, Verifier } from '../core/verify.ts';
import { outgoing } from '../outgoing/outgoing.ts';
import { systemClock } from '../time/clock.ts';

export interface JwtConfig {
	/** Where keys are published, or null. */
	jwksUrl: string | null;
	/** Public keys. */
	keys: readonly KeyObject[];
	secrets: readonly string[];
	header: string;
	issuer: string | null;
	audience: string | null;
	/** Claim with the SHA-256 of the body, or null. */
	bodyClaim: string | null;
}

/** How far the service's clock may differ from ours: exp, nbf and iat count that much more. */
const TOLERANCE_SECONDS = 30;

/** Which algorithms a kind of key may be used with: a public key must never serve as a secret. */
const ASYMMETRIC = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const SYMMETRIC = ['HS256', 'HS384', 'HS512'];

/** The registered claims that say by whom, for whom and when. */
const CLAIMS = ['iss', 'aud', 'exp', 'nbf', 'iat'];

const UNSECURED = base64url.encode('{"alg":"none"}');

type GetKey = (
	header?: JWSHeaderParameters,
	token?: FlattenedJWSInput,
) => Promise<CryptoKey | KeyObject | Uint8Array>;

interface Candidate {
	key: GetKey;
	options: VerifyOptions;
}

/**
 * A JWS over the body, detached or with the body as its payload, or a JWT that says who sends
 * (rule EVNT-04). A JWT covers the body only through `bodyClaim`.
 */
export function jwtVerifier(config: JwtConfig, elapsed = systemClock.elapsed): Verifier {
	const candidates = readKeys(config, elapsed);
	return {
		scheme: 'jwt',
		signs: (request) =>
			config.bodyClaim !== null || isOverBody(tokenOf(request, config), request) ? [] : null,
		async verify(request) {
			const token = tokenOf(request, config);
			if (token.split('.').length !== 3) return 'no token';
			let refusal = 'no key fits';
			for (const candidate of candidates) {
				try {
					verifyClaims(await verifySignature(token, request.body, candidate), request, config);
					return null;
				} catch (error) {
					if (error instanceof HttpError) throw error;
					refusal = (error as Error).message;
				}
			}
			return refusal;
		},
	};
}

function tokenOf({ headers }: SignedRequest, { header }: JwtConfig): string {
	return headerText(headers, header).replace(/^Bearer +/i, '');
}

/** Detached, or with the body as its payload. */
function isOverBody(token: string, { body }: SignedRequest): boolean {
	const [, payload = ''] = token.split('.');
	return payload === '' || body.equals(Buffer.from(payload, 'base64url'));
}

/** Configured keys come before those that must be fetched. */
function readKeys({ jwksUrl, keys, secrets }: JwtConfig, elapsed: () => number): Candidate[] {
	const atHand = keys.map(
		(key): GetKey =>
			() =>
				Promise.resolve(key),
	);
	const published = jwksUrl === null ? [] : [publishedKeys(jwksUrl, elapsed)];
	const shared = secrets.map((secret) => new TextEncoder().encode(secret));
	return [
		...[...atHand, ...published].map((key) => ({ key, options: { algorithms: ASYMMETRIC } })),
		...shared.map((key) => ({
			key: () => Promise.resolve(key),
			options: { algorithms: SYMMETRIC },
		})),
	];
}

/**
 * What the token signs. One without a payload (`header..signature`) must sign the body, as it came
 * (`b64: false`) or in Base64url (RFC 7515, RFC 7797).
 */
async function verifySignature(
	token: string,
	body: Buffer,
	{ key, options }: Candidate,
): Promise<Uint8Array> {
	const [header = '', whole, signature = ''] = token.split('.');
	if (whole !== '') return (await compactVerify(token, key, options)).payload;
	const isPlain = decodeProtectedHeader(token).b64 === false;
	const payload = isPlain ? new Uint8Array(body) : body.toString('base64url');
	await flattenedVerify({ protected: header, payload, signature }, key, options);
	return body;
}

/**
 * Checks the claims of whatever is signed. A signed body need not have any, but a JWT for somebody
 * else must not pass for one.
 */
function verifyClaims(
	signed: Uint8Array,
	{ body, now }: SignedRequest,
	{ issuer, audience, bodyClaim }: JwtConfig,
): void {
	const isBody = body.equals(signed);
	if (isBody && !hasClaims(signed)) return;
	// The signature is valid, so this is about the claims alone.
	const { payload } = UnsecuredJWT.decode(`${UNSECURED}.${base64url.encode(signed)}.`, {
		currentDate: new Date(now),
		clockTolerance: TOLERANCE_SECONDS,
		maxTokenAge: REPLAY_WINDOW_MS / 1000,
		...(issuer !== null && { issuer }),
		...(audience !== null && { audience }),
	});
	if (isBody || bodyClaim === null) return;
	const digest = createHash('sha256').update(body).digest('hex');
	if (!equalInConstantTime(toHex(payload[bodyClaim]), digest)) {
		throw new Error('body does not match');
	}
}

function hasClaims(signed: Uint8Array): boolean {
	try {
		const payload = JSON.parse(new TextDecoder().decode(signed)) as object;
		return CLAIMS.some((claim) => claim in payload);
	} catch {
		// No JSON, or a value that has no members.
		return false;
	}
}

/** SHA-256 as hex, from hex, Base64 or Base64url. */
function toHex(claim: unknown): string {
	if (typeof claim !== 'string') return '';
	if (/^[0-9a-f]{64}$/i.test(claim)) return claim.toLowerCase();
	return Buffer.from(claim, 'base64').toString('hex');
}

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
