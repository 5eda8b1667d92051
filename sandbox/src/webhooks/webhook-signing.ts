import {
	createHash,
	createHmac,
	createPublicKey,
	generateKeyPairSync,
	sign,
	type KeyObject,
} from 'node:crypto';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** JWT claim with the hash of the body. */
const BODY_CLAIM = 'body_sha256';
const KEY_ID = 'sandbox';

/** Headers that let the receiver verify a body's sender. */
export function signatureHeaders(
	{ signing = 'timestamped', secret }: Pick<WebhookEndpoint, 'signing' | 'secret'>,
	body: string,
	realNow: number,
	id: string,
): Record<string, string> {
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
			const header = encoded({ alg: 'HS256', b64: false, crit: ['b64'] });
			const signature = createHmac('sha256', secret).update(`${header}.${body}`);
			return { 'X-JWS-Signature': `${header}..${signature.digest('base64url')}` };
		}
		case 'jwt': {
			const text = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${claims(body, realNow)}`;
			const signature = createHmac('sha256', secret).update(text).digest('base64url');
			return { Authorization: `Bearer ${text}.${signature}` };
		}
		case 'jwks': {
			const text = `${encoded({ alg: 'ES256', typ: 'JWT', kid: KEY_ID })}.${claims(body, realNow)}`;
			const key = { key: signingKey(), dsaEncoding: 'ieee-p1363' } as const;
			const signature = sign('sha256', Buffer.from(text), key).toString('base64url');
			return { Authorization: `Bearer ${text}.${signature}` };
		}
		case 'none':
			return {};
	}
}

let keyPair: KeyObject | undefined;

// Created on first use and shared by all sandboxes of a process: it protects nothing.
const signingKey = (): KeyObject =>
	(keyPair ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

/** The public half of the key that `jwks` signs with. */
export function publishedKeys() {
	const jwk = createPublicKey(signingKey()).export({ format: 'jwk' });
	return { keys: [{ ...jwk, kid: KEY_ID, alg: 'ES256', use: 'sig' }] };
}

const claims = (body: string, realNow: number): string =>
	encoded({
		iss: 'registered-delivery-sandbox',
		iat: Math.floor(realNow / 1000),
		[BODY_CLAIM]: createHash('sha256').update(body).digest('hex'),
	});

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
