import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import { CompactSign, FlattenedSign, SignJWT, exportJWK } from 'jose';
import { trustedHeaders, verify } from '../../../webhook-receiver/src/core/verify.ts';
import type { Signed, Verifier } from '../../../webhook-receiver/src/core/verify.ts';
import { hmacVerifier } from '../../../webhook-receiver/src/core/verifiers/hmac.ts';
import { basicVerifier } from '../../../webhook-receiver/src/core/verifiers/basic.ts';
import { jwtVerifier } from '../../../webhook-receiver/src/verifiers/jwt.ts';
import type { JwtConfig } from '../../../webhook-receiver/src/verifiers/jwt.ts';
import { sharedSecretVerifier } from '../../../webhook-receiver/src/core/verifiers/shared-secret.ts';
import { standardWebhooksVerifier } from '../../../webhook-receiver/src/core/verifiers/standard-webhooks.ts';
import { serve } from '../../support/http-server.ts';

// Verifiers are made within each test: what runs outside of one, the mutation tests can't tell apart.
const NOW = 1_769_851_800_000;
const SECONDS = NOW / 1000;
const BODY = Buffer.from('{"event":"aes_sent"}');

const NO_KEYS: JwtConfig = {
	jwksUrl: null,
	keys: [],
	secrets: [],
	header: 'authorization',
	issuer: null,
	audience: null,
	bodyClaim: null,
};

const request = (headers: Record<string, string | string[]>, body = BODY) => ({
	headers,
	body,
	now: NOW,
});
const accepts = async (
	verifier: Verifier,
	headers: Record<string, string | string[]>,
	body = BODY,
) => (await verify([verifier], request(headers, body), 'any')).refusal === null;

describe('[EVNT-04][R] a shared secret', () => {
	const verifier = () =>
		sharedSecretVerifier({ secrets: ['new-secret', 'old-secret'], header: 'x-s' });
	it.each([
		['the new one', { 'x-s': 'new-secret' }, true],
		['the old one while it is rotated', { 'x-s': ' old-secret ' }, true],
		['another', { 'x-s': 'new-secreT' }, false],
		['part of it', { 'x-s': 'new-secre' }, false],
		['both in one', { 'x-s': 'new-secret,old-secret' }, false],
		['none', {}, false],
		['an empty one', { 'x-s': '' }, false],
		['a list of headers', { 'x-s': ['new-secret'] }, false],
	])('%s', async (_, headers, accepted) => {
		expect(await accepts(verifier(), headers as Record<string, string | string[]>)).toBe(accepted);
	});
	it('an empty secret is never good, even where one was configured', async () => {
		const careless = sharedSecretVerifier({ secrets: [''], header: 'x-s' });
		expect(await accepts(careless, { 'x-s': '' })).toBe(false);
		expect(await accepts(careless, {})).toBe(false);
	});
});

describe('[EVNT-04][R] Basic', () => {
	const verifier = () => basicVerifier(['service:pass:word', 'other:password', 'é:wörd€']);
	const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
	it.each([
		[basic('service:pass:word'), true],
		[basic('other:password').replace('Basic', 'basic'), true],
		[basic('é:wörd€'), true],
		[basic('other:password').replace(' ', '   '), true],
		[basic('other:password').replace(' ', ''), false],
		[`x${basic('other:password')}`, false],
		[`${basic('other:password')} x`, false],
		[`${basic('other:password')},${basic('other:password')}`, false],
		[basic('service:password'), false],
		[basic('service:'), false],
		[basic(''), false],
		['Bearer service:pass:word', false],
		['', false],
	])('%p: %p', async (authorization, accepted) => {
		expect(await accepts(verifier(), { authorization })).toBe(accepted);
	});
});

describe('[EVNT-04][R] Standard Webhooks', () => {
	const [secret, old, other] = [1, 2, 3].map((n) => Buffer.alloc(24, n));
	const asText = (bytes: Buffer) => `whsec_${bytes.toString('base64')}`;
	const verifier = () => standardWebhooksVerifier([asText(secret), asText(old)]);
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
		['only half a signature', headers(sign(secret).slice(0, 24)), false],
		['nothing after the version', headers('v1,'), false],
		['the signature without its version', headers(sign(secret).slice(3)), false],
		['the version somewhere in it', headers(`x${sign(secret)}`), false],
		['a time that is none', headers(sign(secret), NaN), false],
		['no id', headers(sign(secret, SECONDS, ''), SECONDS, ''), false],
	])('%s', async (_, given, accepted) => {
		expect(await accepts(verifier(), given)).toBe(accepted);
	});
	it('another body', async () => {
		expect(await accepts(verifier(), headers(sign(secret)), Buffer.from('{}'))).toBe(false);
	});
});

it('[EVNT-04][R] tells in the log what each way found wrong', async () => {
	const secret = sharedSecretVerifier({ secrets: ['s'], header: 'x-s' });
	const ways = [secret, basicVerifier(['a:b'])];
	const standard = standardWebhooksVerifier([`whsec_${'A'.repeat(32)}`]);
	const why = async (verifiers: Verifier[], headers: Record<string, string>) =>
		(await verify(verifiers, request(headers), 'any')).refusal;
	expect(await why(ways, {})).toBe('shared-secret: secret missing; basic: no Basic credentials');
	expect(await why(ways, { 'x-s': 'x', authorization: 'Basic YTpj' })).toBe(
		'shared-secret: secret does not match; basic: credentials do not match',
	);
	const signed = { 'webhook-id': 'id', 'webhook-timestamp': String(SECONDS) };
	expect(await why([standard], signed)).toMatch(/: id or signature missing or malformed$/);
	const signature = `v1,${Buffer.alloc(32).toString('base64')}`;
	expect(await why([standard], { ...signed, 'webhook-signature': signature })).toBe(
		'standard-webhooks: signature does not match',
	);
});

describe('[EVNT-04][R] JWS and JWT', () => {
	const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
	const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const pem = (pair: typeof rsa) =>
		pair.publicKey.export({ type: 'spki', format: 'pem' }) as string;
	const shared = 'a-shared-secret-of-32-characters';
	const config = { ...NO_KEYS, keys: [rsa.publicKey, ec.publicKey], secrets: [shared] };
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
			['HS384', new TextEncoder().encode(shared)],
			['HS512', new TextEncoder().encode(shared)],
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
		['329 s old', { iat: SECONDS - 329 }, true],
		['331 s old', { iat: SECONDS - 331 }, false],
		['29 s ahead', { iat: SECONDS + 29 }, true],
		['31 s ahead', { iat: SECONDS + 31 }, false],
		['without a time', { iat: undefined }, false],
		['expired longer ago than the tolerance', { exp: SECONDS - 31 }, false],
		['expired within the tolerance', { exp: SECONDS - 29 }, true],
		['not valid yet', { nbf: SECONDS + 31 }, false],
	])('a JWT %s: %p', async (_, claims, accepted) => {
		expect(await check(await jwt(claims))).toBe(accepted);
	});

	it('holds a JWT to issuer, audience and the digest of the body', async () => {
		const sha = createHash('sha256').update(BODY).digest('hex');
		const claims = { iss: 'service', aud: 'receiver', sha };
		const asked = { issuer: 'service', audience: 'receiver', bodyClaim: 'sha' };
		expect(await check(await jwt(claims), asked)).toBe(true);
		for (const wrong of [{ iss: 'x' }, { aud: 'x' }, { sha: 'x' }]) {
			expect(await check(await jwt({ ...claims, ...wrong }), asked)).toBe(false);
		}
	});

	// Who has any token of the same issuer could otherwise send its payload as the body.
	it.each([
		['for the receiver', {}, true],
		['of another issuer', { iss: 'other' }, false],
		['for another audience', { aud: 'other' }, false],
		['of another year', { iat: SECONDS - 31_536_000 }, false],
		['that has expired', { exp: SECONDS - 301 }, false],
		['without a time', { iat: undefined }, false],
	])('a JWT %s whose payload is the body, attached or detached: %p', async (_, claims, taken) => {
		const asked = { issuer: 'service', audience: 'receiver' };
		const token = await jwt({ iss: 'service', aud: 'receiver', ...claims });
		const [header, payload, signature] = token.split('.');
		const body = Buffer.from(payload, 'base64url');
		expect(await check(token, asked, body)).toBe(taken);
		expect(await check(`${header}..${signature}`, asked, body)).toBe(taken);
	});

	it.each([BODY.toString(), 'event=aes_sent', '7'])(
		'a signed body that is no JWT needs no claims: %s',
		async (text) => {
			const body = Buffer.from(text);
			const token = await detached(body, {});
			expect(await check(token, { issuer: 'service', audience: 'receiver' }, body)).toBe(true);
		},
	);

	it.each([
		{ iss: 'other' },
		{ aud: 'other' },
		{ exp: SECONDS - 31 },
		{ nbf: SECONDS + 31 },
		{ iat: SECONDS - 331 },
	])('a signed body with %j is a JWT, and not for us now', async (claim) => {
		const body = Buffer.from(JSON.stringify({ event: 'aes_sent', ...claim }));
		const token = await new CompactSign(body)
			.setProtectedHeader({ alg: 'ES256' })
			.sign(ec.privateKey);
		expect(await check(token, { issuer: 'service', audience: 'receiver' }, body)).toBe(false);
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

	it('takes the digest of the body in any of its spellings, nothing else', async () => {
		const digest = createHash('sha256').update(BODY).digest();
		const other = createHash('sha256').update('other').digest();
		for (const [sha, taken] of [
			[digest.toString('hex'), true],
			[digest.toString('hex').toUpperCase(), true],
			[digest.toString('base64'), true],
			[digest.toString('base64url'), true],
			[other.toString('base64'), false],
			[`${digest.toString('hex')}0`, false],
			[`0${digest.toString('hex')}`, false],
			['', false],
			[1, false],
			[undefined, false],
		] as const) {
			expect([sha, await check(await jwt({ sha }), { bodyClaim: 'sha' })]).toEqual([sha, taken]);
		}
	});

	it('reads the token with and without Bearer, from the header it is told', async () => {
		const token = await jwt();
		const verifier = jwtVerifier({ ...config, header: 'x-token' });
		for (const text of [token, `Bearer ${token}`, `bearer   ${token}`]) {
			expect(await accepts(verifier, { 'x-token': text })).toBe(true);
		}
		for (const text of [`Token ${token}`, `x Bearer ${token}`, `Bearer${token}`, `${token}.x`]) {
			expect(await accepts(verifier, { 'x-token': text })).toBe(false);
		}
		expect(await accepts(verifier, { authorization: token })).toBe(false);
	});

	it('tells in the log what was wrong', async () => {
		const why = async (token: string, more: Partial<JwtConfig> = {}) => {
			const verifier = jwtVerifier({ ...config, ...more });
			return (await verify([verifier], request({ authorization: token }), 'any')).refusal;
		};
		expect(await why('')).toBe('jwt: no token');
		expect(await why('a.b')).toBe('jwt: no token');
		expect(await why('a.b.c.d')).toBe('jwt: no token');
		expect(await why('a.b.c', { keys: [], secrets: [] })).toBe('jwt: no key fits');
		expect(await why('!..c')).toMatch(/Invalid Token or Protected Header/);
		expect(await why(await jwt({ sha: 'x' }), { bodyClaim: 'sha', secrets: [] })).toBe(
			'jwt: body does not match',
		);
	});

	it('several published keys that fit, or none, are the token’s trouble, not ours', async () => {
		const jwk = { ...(await exportJWK(ec.publicKey)), alg: 'ES256', use: 'sig' };
		const keys = [
			{ ...jwk, kid: 'k1' },
			{ ...jwk, kid: 'k2' },
		];
		const server = await serve((_, response) => response.end(JSON.stringify({ keys })));
		const jwksUrl = `${server.url}/keys`;
		const published = jwtVerifier({ ...NO_KEYS, jwksUrl });
		expect(await accepts(published, { authorization: await jwt() })).toBe(false);
		const rs256 = await new SignJWT({ iat: SECONDS })
			.setProtectedHeader({ alg: 'RS256' })
			.sign(rsa.privateKey);
		const fresh = jwtVerifier({ ...NO_KEYS, jwksUrl });
		expect(await accepts(fresh, { authorization: rs256 })).toBe(false);
		await server.close();
	});

	it('keys that cannot be fetched stop it though another key may fit later', async () => {
		const token = await jwt({}, ec.privateKey);
		const jwksUrl = 'http://127.0.0.1:1/keys';
		const secretOnly = jwtVerifier({ ...config, keys: [], jwksUrl });
		await expect(accepts(secretOnly, { authorization: token })).rejects.toMatchObject({
			status: 503,
			code: 'keys-unavailable',
			message: expect.stringContaining('cannot be fetched'),
		});
		// A key at hand is tried first.
		const withKey = jwtVerifier({ ...config, jwksUrl });
		expect(await accepts(withKey, { authorization: token })).toBe(true);
	});

	// When they are fetched, and what is said when they cannot be: published-keys.test.ts.
	it('a published key is as good as one that is configured', async () => {
		const jwk = { ...(await exportJWK(ec.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
		const server = await serve((_, response) => response.end(JSON.stringify({ keys: [jwk] })));
		const published = jwtVerifier({ ...NO_KEYS, jwksUrl: `${server.url}/keys` });
		expect(await accepts(published, { authorization: await jwt() })).toBe(true);
		await server.close();
	});
});

// What Node makes of a header that came twice; `authorization` it takes once.
describe('[EVNT-04][R] a header that came twice', () => {
	const key = Buffer.alloc(24, 1);
	const hmac = createHmac('sha256', 'the-secret').update(`${SECONDS}.${BODY}`).digest('hex');
	const standard = createHmac('sha256', key).update(`msg_1.${SECONDS}.${BODY}`).digest('base64');
	const hs256 = () =>
		new CompactSign(BODY)
			.setProtectedHeader({ alg: 'HS256' })
			.sign(new TextEncoder().encode('a-shared-secret-of-32-characters'));
	const ways: Array<[string, () => Verifier, () => Promise<Record<string, string>>]> = [
		[
			'HMAC',
			() =>
				hmacVerifier({
					secrets: ['the-secret'],
					header: 'x-signature',
					timestampHeader: 'x-timestamp',
					template: '{timestamp}.{body}',
				}),
			async () => ({ 'x-signature': hmac, 'x-timestamp': String(SECONDS) }),
		],
		[
			'Standard Webhooks',
			() => standardWebhooksVerifier([`whsec_${key.toString('base64')}`]),
			async () => ({
				'webhook-id': 'msg_1',
				'webhook-timestamp': String(SECONDS),
				'webhook-signature': `v1,${standard}`,
			}),
		],
		[
			'a shared secret',
			() => sharedSecretVerifier({ secrets: ['the-secret'], header: 'x-s' }),
			async () => ({ 'x-s': 'the-secret' }),
		],
		[
			'JWS',
			() =>
				jwtVerifier({
					...NO_KEYS,
					secrets: ['a-shared-secret-of-32-characters'],
					header: 'x-token',
				}),
			async () => ({ 'x-token': await hs256() }),
		],
	];
	it.each(ways)('%s is refused, unless it has signatures', async (_, verifier, right) => {
		const headers = await right();
		expect(await accepts(verifier(), headers)).toBe(true);
		for (const [name, value] of Object.entries(headers)) {
			// Several signatures are what both provide for, while a secret is replaced.
			const severalCount = ['webhook-signature', 'x-signature'].includes(name);
			const twice = { ...headers, [name]: `${value}, ${value}` };
			expect([name, await accepts(verifier(), twice)]).toEqual([name, severalCount]);
		}
	});
});

describe('[EVNT-04][R] several ways', () => {
	const secret = () => sharedSecretVerifier({ secrets: ['the-secret'], header: 'x-s' });
	const other = () => sharedSecretVerifier({ secrets: ['the-other'], header: 'x-o' });
	it.each([
		['any', 'the-secret', 'wrong', true],
		['any', 'wrong', 'the-other', true],
		['any', 'wrong', 'wrong', false],
		['all', 'the-secret', 'the-other', true],
		['all', 'the-secret', 'wrong', false],
		['all', 'wrong', 'the-other', false],
	] as const)('%s of them: secrets %s and %s: %p', async (require, one, two, accepted) => {
		const given = request({ 'x-s': one, 'x-o': two });
		const outcome = await verify([secret(), other()], given, require);
		expect(outcome.refusal === null).toBe(accepted);
	});
	it('all of none is nobody', async () => {
		expect((await verify([], request({}), 'all')).refusal).not.toBeNull();
	});
});

describe('[EVNT-04][R] who proves that the body is the service’s own', () => {
	const secrets = ['the-secret'];
	const hmac = { header: 'x', timestampHeader: 'y', template: '{body}' } as const;
	const jwt = { ...NO_KEYS, secrets, header: 'x-token' };
	const token = (payload: string) => ({ 'x-token': `Bearer header.${payload}.signature` });
	const own = BODY.toString('base64url');

	it.each<[string, () => Verifier, Record<string, string>, Signed]>([
		['a shared secret', () => sharedSecretVerifier({ secrets, header: 'x' }), {}, null],
		['a password', () => basicVerifier(['a:b']), {}, null],
		['an HMAC', () => hmacVerifier({ ...hmac, secrets }), {}, []],
		['Standard Webhooks', () => standardWebhooksVerifier(['whsec_AAAA']), {}, ['webhook-id']],
		['a detached JWS', () => jwtVerifier(jwt), token(''), []],
		['a JWS over the body', () => jwtVerifier(jwt), token(own), []],
		['a JWT', () => jwtVerifier(jwt), token('e30'), null],
		[
			'a JWT with a digest of the body',
			() => jwtVerifier({ ...jwt, bodyClaim: 'b' }),
			token('e30'),
			[],
		],
	])('%s', (_, verifier, headers, signs) => {
		expect(verifier().signs?.(request(headers)) ?? null).toEqual(signs);
	});

	const passes = (signs?: Signed): Verifier => ({
		scheme: 'passes',
		verify: () => null,
		...(signs !== undefined && { signs: () => signs }),
	});
	const fails: Verifier = { scheme: 'fails', verify: () => 'no', signs: () => ['a'] };

	it.each<[string, Verifier[], 'any' | 'all', Signed]>([
		['nobody asked', [], 'any', null],
		['one that cannot tell', [passes()], 'any', null],
		['one that signs', [passes([])], 'any', []],
		['one that failed', [fails], 'any', null],
		['one that failed, before one that passes', [fails, passes()], 'any', null],
		['the first that passes, as no other is asked', [passes(null), passes([])], 'any', null],
		['any of all', [passes([]), passes(null)], 'all', []],
		['any of all, the last', [passes(), passes(['a'])], 'all', ['a']],
		['what each of all signs', [passes(['a']), passes(['b'])], 'all', ['a', 'b']],
		['none of all', [passes(), passes(null)], 'all', null],
	])('%s', async (_, verifiers, require, signs) => {
		expect((await verify(verifiers, request({}), require)).signed).toEqual(signs);
	});

	const headers = {
		'x-event': 'n',
		'webhook-id': 'w',
		'x-event-id': 'e',
		'x-our': 'o',
		other: '1',
	};
	const known = {
		eventHeaders: ['x-event', 'x-our'],
		eventIdHeaders: ['webhook-id', 'x-event-id'],
	};

	it.each<[string, Signed, string[], string[]]>([
		['nothing is signed', null, [], ['x-event', 'x-our']],
		['the body is signed', [], [], []],
		['the body and an id are signed', ['webhook-id'], [], ['webhook-id']],
		['the operator named some', [], ['x-our', 'x-event-id'], ['x-our', 'x-event-id']],
	])('which headers count where %s', (_, signed, namedHeaders, counting) => {
		const trusted = trustedHeaders(headers, signed, { ...known, namedHeaders });
		const present = Object.entries(trusted).filter(([, value]) => value !== undefined);
		const names = present.map(([name]) => name);
		expect(new Set(names)).toEqual(new Set([...counting, 'other']));
	});
});
