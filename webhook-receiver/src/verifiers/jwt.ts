import { createHash, createPublicKey } from 'node:crypto';
import { compactVerify, createRemoteJWKSet, errors, flattenedVerify, jwtVerify } from 'jose';
import type { FlattenedVerifyGetKey, JWTVerifyGetKey, VerifyOptions } from 'jose';
import { equalInConstantTime } from '../fingerprint.ts';
import { HttpError } from '../http-error.ts';
import type { Verifier } from '../verify.ts';
import { REPLAY_WINDOW_MS, headerText } from './read-headers.ts';
import { splitPem } from './split-pem.ts';

export interface JwtConfig {
	/** Where keys are published, or null. */
	jwksUrl: string | null;
	/** PEM public keys, one after the other. */
	keys: string;
	secrets: readonly string[];
	header: string;
	issuer: string | null;
	audience: string | null;
	/** Claim with the SHA-256 of the body, or null. */
	bodyClaim: string | null;
	maxAgeMs: number;
}

/** Which algorithms a kind of key may be used with: a public key must never serve as a secret. */
const ASYMMETRIC = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const SYMMETRIC = ['HS256', 'HS384', 'HS512'];

type Key = Parameters<typeof compactVerify>[1] | JWTVerifyGetKey;

interface Candidate {
	key: Key;
	options: VerifyOptions;
}

/**
 * A JWS over the body, detached or with the body as its payload, or a JWT that says who sends
 * (rule EVNT-04). A JWT covers the body only through `bodyClaim`.
 */
export function jwtVerifier(config: JwtConfig): Verifier {
	const candidates = readKeys(config);
	return {
		scheme: 'jwt',
		async verify({ headers, body, now }) {
			const token = headerText(headers, config.header).replace(/^Bearer +/i, '');
			const parts = token.split('.');
			if (parts.length !== 3) return 'no token';
			let refusal = 'no key fits';
			for (const candidate of candidates) {
				try {
					if (parts[1] === '') await verifyDetached(parts, body, candidate);
					else await verifyWhole(token, body, candidate, config, now);
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

function readKeys({ jwksUrl, keys, secrets }: JwtConfig): Candidate[] {
	const remote = jwksUrl === null ? [] : [publishedKeys(new URL(jwksUrl))];
	const local = splitPem(keys).map((pem) => createPublicKey(pem));
	return [
		...[...local, ...remote].map((key) => ({ key, options: { algorithms: ASYMMETRIC } })),
		...secrets.map((secret) => ({
			key: new TextEncoder().encode(secret),
			options: { algorithms: SYMMETRIC },
		})),
	];
}

/** Keys that can't be fetched are our trouble: 503, so that the service tries again. */
function publishedKeys(url: URL): JWTVerifyGetKey {
	const keys = createRemoteJWKSet(url);
	return async (header, token) => {
		try {
			return await keys(header, token);
		} catch (error) {
			const isAboutToken =
				error instanceof errors.JWKSNoMatchingKey ||
				error instanceof errors.JWKSMultipleMatchingKeys ||
				error instanceof errors.JOSENotSupported;
			if (isAboutToken) throw error;
			throw new HttpError(503, 'keys-unavailable', 'The keys that sign events can not be fetched.');
		}
	};
}

/** `header..signature`, the body as it came (`b64: false`) or in Base64url (RFC 7515, RFC 7797). */
async function verifyDetached(
	[header = '', , signature = '']: string[],
	body: Buffer,
	{ key, options }: Candidate,
): Promise<void> {
	const isPlain = decode(header).b64 === false;
	const jws = {
		protected: header,
		payload: isPlain ? new Uint8Array(body) : body.toString('base64url'),
		signature,
	};
	await flattenedVerify(jws, key as FlattenedVerifyGetKey, options);
}

async function verifyWhole(
	token: string,
	body: Buffer,
	{ key, options }: Candidate,
	config: JwtConfig,
	now: number,
): Promise<void> {
	const { payload: signed } = await compactVerify(token, key as FlattenedVerifyGetKey, options);
	if (Buffer.from(signed).equals(body)) return;
	const { payload } = await jwtVerify(token, key as JWTVerifyGetKey, {
		...options,
		currentDate: new Date(now),
		clockTolerance: REPLAY_WINDOW_MS / 1000,
		maxTokenAge: Math.max(config.maxAgeMs - REPLAY_WINDOW_MS, 0) / 1000,
		...(config.issuer === null ? {} : { issuer: config.issuer }),
		...(config.audience === null ? {} : { audience: config.audience }),
	});
	if (config.bodyClaim === null) return;
	const digest = createHash('sha256').update(body);
	const claimed = toHex(payload[config.bodyClaim]);
	if (!equalInConstantTime(claimed, digest.digest('hex'))) throw new Error('body does not match');
}

/** SHA-256 as hex, from hex, Base64 or Base64url. */
function toHex(claim: unknown): string {
	if (typeof claim !== 'string') return '';
	if (/^[0-9a-f]{64}$/i.test(claim)) return claim.toLowerCase();
	return Buffer.from(claim, 'base64').toString('hex');
}

function decode(header: string): Record<string, unknown> {
	try {
		return JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, unknown>;
	} catch {
		throw new Error('the header of the token can not be read');
	}
}
