import {
	createHash,
	createHmac,
	createPublicKey,
	generateKeyPairSync,
	type KeyObject,
} from 'node:crypto';
import type { SignJWT } from 'jose';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** JWT claim with the hash of the body. */
const BODY_CLAIM = 'body_sha256';
const KEY_ID = 'sandbox';

const encoder = new TextEncoder();

/** Headers that let the receiver verify a body's sender. */
export async function signatureHeaders(
	{ signing = 'timestamped', secret }: Pick<WebhookEndpoint, 'signing' | 'secret'>,
	body: string,
	realNow: number,
	id: string,
): Promise<Record<string, string>> {
	const seconds = String(Math.floor(realNow / 1000));
	const hex = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
	switch (signing) {
		case 'timestamped':
			return {
				'X-Webhook-Timestamp': seconds,
				'X-Webhook-Signature': `sha256=${hex(`${seconds}.${body}`)}`,
			};
		case 'body':
			return { 'X-Hub-Signature-256': `sha256=${hex(body)}` };
		case 'standard': {
			// Three lines of our own: the package standardwebhooks brings an HMAC in JavaScript for them.
			const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
			const digest = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
			return {
				'webhook-id': id,
				'webhook-timestamp': seconds,
				'webhook-signature': `v1,${digest}`,
			};
		}
		case 'shared-secret':
			return { 'X-Webhook-Secret': secret };
		case 'basic':
			return { Authorization: `Basic ${Buffer.from(secret).toString('base64')}` };
		case 'jws': {
			const { FlattenedSign } = await jose();
			const jws = await new FlattenedSign(encoder.encode(body))
				.setProtectedHeader({ alg: 'HS256', b64: false, crit: ['b64'] })
				.sign(encoder.encode(secret));
			return { 'X-JWS-Signature': `${jws.protected}..${jws.signature}` };
		}
		case 'jwt': {
			const jwt = (await claims(body, realNow)).setProtectedHeader({ alg: 'HS256', typ: 'JWT' });
			return { Authorization: `Bearer ${await jwt.sign(encoder.encode(secret))}` };
		}
		case 'jwks': {
			const header = { alg: 'ES256', typ: 'JWT', kid: KEY_ID };
			const jwt = (await claims(body, realNow)).setProtectedHeader(header);
			return { Authorization: `Bearer ${await jwt.sign(signingKey())}` };
		}
		case 'none':
			return {};
	}
}

/** Loaded with the first webhook that needs it, to keep the start fast. */
const jose = () => import('jose');

let keyPair: KeyObject | undefined;

// Created on first use and shared by all sandboxes of a process: it protects nothing.
const signingKey = (): KeyObject =>
	(keyPair ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

/** The public half of the key that `jwks` signs with. */
export function publishedKeys() {
	const jwk = createPublicKey(signingKey()).export({ format: 'jwk' });
	return { keys: [{ ...jwk, kid: KEY_ID, alg: 'ES256', use: 'sig' }] };
}

async function claims(body: string, realNow: number): Promise<SignJWT> {
	const { SignJWT } = await jose();
	return new SignJWT({ [BODY_CLAIM]: createHash('sha256').update(body).digest('hex') })
		.setIssuer('registered-delivery-sandbox')
		.setIssuedAt(Math.floor(realNow / 1000));
}
