import { createHash, createHmac, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { publishedKeys, signatureHeaders } from '../../../sandbox/src/webhooks/webhook-signing.ts';

const NOW = 1_769_851_800_000;
const BODY = '{"event":"aes_sent"}';
const SECRET = 'a secret';

const sign = (signing: Parameters<typeof signatureHeaders>[0]['signing'], secret = SECRET) =>
	signatureHeaders({ signing, secret }, BODY, NOW, 'wh_1');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);
const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

it('timestamped is what goes out unless told otherwise', async () => {
	expect(await sign(undefined)).toEqual({
		'X-Webhook-Timestamp': '1769851800',
		'X-Webhook-Signature': `sha256=${hmac(SECRET, `1769851800.${BODY}`).digest('hex')}`,
	});
});

it('the plain ones', async () => {
	expect(await sign('none')).toEqual({});
	expect(await sign('shared-secret')).toEqual({ 'X-Webhook-Secret': SECRET });
	expect(await sign('basic', 'user:password')).toEqual({
		Authorization: 'Basic dXNlcjpwYXNzd29yZA==',
	});
	const digest = hmac(SECRET, BODY).digest('hex');
	expect(await sign('body')).toEqual({ 'X-Hub-Signature-256': `sha256=${digest}` });
});

it('Standard Webhooks signs id, time and body with the decoded secret', async () => {
	const key = Buffer.from('0123456789abcdef01234567');
	expect(await sign('standard', `whsec_${key.toString('base64')}`)).toEqual({
		'webhook-id': 'wh_1',
		'webhook-timestamp': '1769851800',
		'webhook-signature': `v1,${hmac(key, `wh_1.1769851800.${BODY}`).digest('base64')}`,
	});
});

it('a detached JWS signs the body as it is', async () => {
	const [header, payload, signature] = (await sign('jws'))['X-JWS-Signature']?.split('.') ?? [];
	expect(decoded(header)).toEqual({ alg: 'HS256', b64: false, crit: ['b64'] });
	expect(payload).toBe('');
	expect(signature).toBe(hmac(SECRET, `${header}.${BODY}`).digest('base64url'));
});

it.each(['jwt', 'jwks'] as const)(
	'%s names time and body, and its signature fits',
	async (signing) => {
		const [header = '', payload = '', signature = ''] =
			(await sign(signing)).Authorization?.replace('Bearer ', '').split('.') ?? [];
		expect(decoded(payload)).toEqual({
			iss: 'registered-delivery-sandbox',
			iat: 1_769_851_800,
			body_sha256: createHash('sha256').update(BODY).digest('hex'),
		});
		const text = `${header}.${payload}`;
		if (signing === 'jwt') return expect(signature).toBe(hmac(SECRET, text).digest('base64url'));
		const [jwk] = publishedKeys().keys;
		expect(jwk).not.toHaveProperty('d');
		expect(decoded(header).kid).toBe(jwk?.kid);
		const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
		const bytes = Buffer.from(signature, 'base64url');
		const encoding = { key, dsaEncoding: 'ieee-p1363' } as const;
		expect(verify('sha256', Buffer.from(text), encoding, bytes)).toBe(true);
	},
);
