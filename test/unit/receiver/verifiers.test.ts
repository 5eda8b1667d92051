import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompactSign, FlattenedSign, SignJWT, exportJWK } from 'jose';
import { verify } from '../../../webhook-receiver/src/verify.ts';
import type { Verifier } from '../../../webhook-receiver/src/verify.ts';
import { addressVerifier } from '../../../webhook-receiver/src/verifiers/address.ts';
import { basicVerifier } from '../../../webhook-receiver/src/verifiers/basic.ts';
import { jwtVerifier } from '../../../webhook-receiver/src/verifiers/jwt.ts';
import type { JwtConfig } from '../../../webhook-receiver/src/verifiers/jwt.ts';
import { sharedSecretVerifier } from '../../../webhook-receiver/src/verifiers/shared-secret.ts';
import { standardWebhooksVerifier } from '../../../webhook-receiver/src/verifiers/standard-webhooks.ts';

const NOW = 1_769_851_800_000;
const SECONDS = NOW / 1000;
const BODY = Buffer.from('{"event":"aes_sent"}');

const request = (headers: Record<string, string>, body = BODY, address: string | null = null) => ({
	headers,
	body,
	now: NOW,
	client: { address, certificate: null, isTrustedProxy: false },
});
const accepts = async (verifier: Verifier, headers: Record<string, string>, body = BODY) =>
	(await verify([verifier], request(headers, body))) === null;

describe('[EVNT-04][R] a shared secret', () => {
	const verifier = sharedSecretVerifier({ secrets: ['new-secret', 'old-secret'], header: 'x-s' });
	it.each([
		['the new one', { 'x-s': 'new-secret' }, true],
		['the old one while it is rotated', { 'x-s': ' old-secret ' }, true],
		['another', { 'x-s': 'new-secreT' }, false],
		['part of it', { 'x-s': 'new-secre' }, false],
		['both in one', { 'x-s': 'new-secret,old-secret' }, false],
		['none', {}, false],
		['an empty one', { 'x-s': '' }, false],
	])('%s', async (_, headers, accepted) => {
		expect(await accepts(verifier, headers as Record<string, string>)).toBe(accepted);
	});
});

describe('[EVNT-04][R] Basic', () => {
	const verifier = basicVerifier(['service:pass:word', 'other:password']);
	const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
	it.each([
		[basic('service:pass:word'), true],
		[basic('other:password').replace('Basic', 'basic'), true],
		[basic('service:password'), false],
		[basic('service:'), false],
		[basic(''), false],
		['Bearer service:pass:word', false],
		['', false],
	])('%p: %p', async (authorization, accepted) => {
		expect(await accepts(verifier, { authorization })).toBe(accepted);
	});
});

describe('[EVNT-04][R] Standard Webhooks', () => {
	const [secret, old, other] = [1, 2, 3].map((n) => Buffer.alloc(24, n));
	const asText = (bytes: Buffer) => `whsec_${bytes.toString('base64')}`;
	const verifier = standardWebhooksVerifier([asText(secret), asText(old)]);
	const sign = (key: Buffer, seconds = SECONDS, id = 'msg_1') =>
		`v1,${createHmac('sha256', key).update(`${id}.${seconds}.${BODY}`).digest('base64')}`;
	const headers = (signature: string, seconds = SECONDS, id = 'msg_1') => ({
		'webhook-id': id,
		'webhook-timestamp': String(seconds),
		'webhook-signature': signature,
	});
	it.each([
		['signed', headers(sign(secret)), true],
		['signed with the old secret', headers(sign(old)), true],
		['one good signature of several', headers(`${sign(other)} v1a,xx ${sign(secret)}`), true],
		['299 s ago', headers(sign(secret, SECONDS - 299), SECONDS - 299), true],
		['301 s ago', headers(sign(secret, SECONDS - 301), SECONDS - 301), false],
		['301 s ahead', headers(sign(secret, SECONDS + 301), SECONDS + 301), false],
		['another secret', headers(sign(other)), false],
		['another id', headers(sign(secret), SECONDS, 'msg_2'), false],
		['another version', headers(sign(secret).replace('v1,', 'v2,')), false],
		['no signature', headers(''), false],
		['no id', headers(sign(secret, SECONDS, ''), SECONDS, ''), false],
	])('%s', async (_, given, accepted) => {
		expect(await accepts(verifier, given)).toBe(accepted);
	});
	it('another body', async () => {
		expect(await accepts(verifier, headers(sign(secret)), Buffer.from('{}'))).toBe(false);
	});
});

describe('[EVNT-04][R] addresses', () => {
	const verifier = addressVerifier(['192.0.2.7', '10.0.0.0/8', '2001:db8::/32']);
	it.each([
		['192.0.2.7', true],
		['::ffff:192.0.2.7', true],
		['10.255.0.1', true],
		['2001:db8:1::1', true],
		['192.0.2.8', false],
		['2001:db9::1', false],
		['', false],
		[null, false],
	])('%p: %p', async (address, accepted) => {
		expect((await verify([verifier], request({}, BODY, address))) === null).toBe(accepted);
	});
});

describe('[EVNT-04][R] JWS and JWT', () => {
	const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
	const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const pem = (pair: typeof rsa) =>
		pair.publicKey.export({ type: 'spki', format: 'pem' }) as string;
	const shared = 'a-shared-secret-of-32-characters';
	const config: JwtConfig = {
		jwksUrl: null,
		keys: pem(rsa) + pem(ec),
		secrets: [shared],
		header: 'authorization',
		issuer: null,
		audience: null,
		bodyClaim: null,
		maxAgeMs: 300_000,
	};
	const check = (token: string, more: Partial<JwtConfig> = {}, body = BODY) =>
		accepts(jwtVerifier({ ...config, ...more }), { authorization: `Bearer ${token}` }, body);
	const jwt = (claims: object = {}, key: Parameters<SignJWT['sign']>[0] = ec.privateKey) =>
		new SignJWT({ iat: SECONDS, ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(key);
	const detached = async (body: Buffer, header: object) => {
		const flat = await new FlattenedSign(body)
			.setProtectedHeader({ alg: 'ES256', ...header })
			.sign(ec.privateKey);
		return `${flat.protected}..${flat.signature}`;
	};

	it('accepts a JWS with the body as payload, by any of the keys', async () => {
		for (const [alg, key] of [
			['RS256', rsa.privateKey],
			['ES256', ec.privateKey],
			['HS256', new TextEncoder().encode(shared)],
		] as const) {
			const token = await new CompactSign(BODY).setProtectedHeader({ alg }).sign(key);
			expect([alg, await check(token)]).toEqual([alg, true]);
			expect([alg, await check(token, {}, Buffer.from('{}'))]).toEqual([alg, false]);
		}
	});

	it('accepts a detached JWS, encoded or plain, of exactly this body', async () => {
		for (const header of [{}, { b64: false, crit: ['b64'] }]) {
			const token = await detached(BODY, header);
			expect(await check(token)).toBe(true);
			expect(await check(token, {}, Buffer.from('{"event":"aes_Sent"}'))).toBe(false);
		}
	});

	it.each([
		['fresh', {}, true],
		['299 s old', { iat: SECONDS - 299 }, true],
		['301 s old', { iat: SECONDS - 301 }, false],
		['301 s ahead', { iat: SECONDS + 301 }, false],
		['without a time', { iat: undefined }, false],
		['expired long ago', { exp: SECONDS - 301 }, false],
	])('a JWT %s: %p', async (_, claims, accepted) => {
		expect(await check(await jwt(claims))).toBe(accepted);
	});

	it('holds a JWT to issuer, audience and the digest of the body', async () => {
		const digest = createHash('sha256').update(BODY);
		const hex = digest.copy().digest('hex');
		const claims = { iss: 'service', aud: 'receiver', sha: hex };
		const asked = { issuer: 'service', audience: 'receiver', bodyClaim: 'sha' };
		expect(await check(await jwt(claims), asked)).toBe(true);
		expect(await check(await jwt({ ...claims, sha: digest.digest('base64url') }), asked)).toBe(
			true,
		);
		for (const wrong of [{ iss: 'x' }, { aud: 'x' }, { sha: hex.replace(/^./, 'g') }, { sha: 1 }]) {
			expect(await check(await jwt({ ...claims, ...wrong }), asked)).toBe(false);
		}
	});

	it('refuses other keys, no algorithm, and a public key used as a secret', async () => {
		expect(await check(await jwt({}, foreign.privateKey))).toBe(false);
		const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
		const claims = encode({ iat: SECONDS });
		expect(await check(`${encode({ alg: 'none' })}.${claims}.`)).toBe(false);
		const confused = `${encode({ alg: 'HS256' })}.${claims}`;
		const signature = createHmac('sha256', pem(rsa)).update(confused).digest('base64url');
		expect(await check(`${confused}.${signature}`)).toBe(false);
		for (const token of ['', 'a.b', 'a.b.c', '...', '!.!.!'])
			expect(await check(token)).toBe(false);
	});

	it('fetches published keys; when that fails it is our trouble, not a refusal', async () => {
		const jwk = { ...(await exportJWK(ec.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
		const server = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] })));
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
		const published = jwtVerifier({ ...config, keys: '', secrets: [], jwksUrl });
		const token = (kid: string) =>
			new SignJWT({ iat: SECONDS })
				.setProtectedHeader({ alg: 'ES256', kid })
				.sign(ec.privateKey)
				.then((text) => ({ authorization: text }));
		expect(await accepts(published, await token('k1'))).toBe(true);
		expect(await accepts(published, await token('k2'))).toBe(false);
		await new Promise((resolve) => server.close(resolve));
		const unreachable = jwtVerifier({ ...config, keys: '', secrets: [], jwksUrl });
		await expect(accepts(unreachable, await token('k1'))).rejects.toMatchObject({ status: 503 });
	});
});

describe('[EVNT-04][R] several ways', () => {
	const secret = sharedSecretVerifier({ secrets: ['the-secret'], header: 'x-s' });
	const address = addressVerifier(['192.0.2.7']);
	it.each([
		['any', 'the-secret', '192.0.2.8', true],
		['any', 'wrong', '192.0.2.7', true],
		['any', 'wrong', '192.0.2.8', false],
		['all', 'the-secret', '192.0.2.7', true],
		['all', 'the-secret', '192.0.2.8', false],
		['all', 'wrong', '192.0.2.7', false],
	] as const)('%s of them: secret %s from %s: %p', async (require, given, from, accepted) => {
		const outcome = await verify([secret, address], request({ 'x-s': given }, BODY, from), require);
		expect(outcome === null).toBe(accepted);
	});
	it('all of none is nobody', async () => {
		expect(await verify([], request({}), 'all')).not.toBeNull();
	});
});
