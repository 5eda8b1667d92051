// An event id in a header counts only where something vouches for the body too.
import { createHash, createHmac } from 'node:crypto';
import { call, cleanUp, signed, start, temporaryFolder } from './harness.ts';
import { authority } from './certificates.ts';

afterEach(cleanUp);

const SECRET = 'the-secret-of-all';
const BODY = JSON.stringify({ event: 'aes_sent', messageId: 1 });
const STANDARD = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

const base64url = (text: string) => Buffer.from(text).toString('base64url');
function jws(payload: string, detached = false) {
	const text = `${base64url('{"alg":"HS256"}')}.${base64url(payload)}`;
	const signature = createHmac('sha256', SECRET).update(text).digest('base64url');
	const [header = ''] = text.split('.');
	return { authorization: `${detached ? `${header}.` : text}.${signature}` };
}
const claims = (more: object = {}) =>
	JSON.stringify({ iat: Math.floor(Date.now() / 1000), ...more });
const ours = authority(temporaryFolder(), 'ours');
const { certificate } = ours.issue('service');

type Headers = Record<string, string>;

/** How to authenticate, and whether an id in a header then counts. */
const WAYS: Array<[string, Headers, (id: string) => Headers, boolean]> = [
	['HMAC', { INGEST_HMAC_SECRETS: SECRET }, () => signed(BODY, Date.now(), SECRET), true],
	[
		'Standard Webhooks',
		{ INGEST_STANDARD_WEBHOOKS_SECRETS: STANDARD },
		(id) => {
			const at = String(Math.floor(Date.now() / 1000));
			const hmac = createHmac('sha256', Buffer.from(STANDARD.slice(6), 'base64'));
			const signature = `v1,${hmac.update(`${id}.${at}.${BODY}`).digest('base64')}`;
			return { 'webhook-timestamp': at, 'webhook-signature': signature };
		},
		true,
	],
	['JWS over the body', { INGEST_JWT_SECRETS: SECRET }, () => jws(BODY), true],
	['detached JWS', { INGEST_JWT_SECRETS: SECRET }, () => jws(BODY, true), true],
	[
		'JWT with the digest of the body',
		{ INGEST_JWT_SECRETS: SECRET, INGEST_JWT_BODY_CLAIM: 'sha' },
		() => jws(claims({ sha: createHash('sha256').update(BODY).digest('hex') })),
		true,
	],
	[
		'client certificate',
		{
			INGEST_CLIENT_CERTIFICATE_HEADER: 'x-client-certificate',
			...{ INGEST_CLIENT_CA: ours.certificate, TRUSTED_PROXIES: '127.0.0.1' },
		},
		() => ({ 'x-client-certificate': encodeURIComponent(certificate) }),
		true,
	],
	['JWT', { INGEST_JWT_SECRETS: SECRET }, () => jws(claims()), false],
	[
		'shared secret',
		{ INGEST_SHARED_SECRETS: SECRET },
		() => ({ 'x-webhook-secret': SECRET }),
		false,
	],
	[
		'Basic',
		{ INGEST_BASIC_USERS: `service:${SECRET}` },
		() => ({ authorization: `Basic ${btoa(`service:${SECRET}`)}` }),
		false,
	],
	['address', { INGEST_ADDRESSES: '127.0.0.1' }, () => ({}), false],
	['nothing', { INGEST_REQUIRE: 'none' }, () => ({}), false],
	[
		'both a shared secret and a signature',
		{
			...{ INGEST_SHARED_SECRETS: SECRET, INGEST_HMAC_SECRETS: SECRET },
			INGEST_REQUIRE: 'all',
		},
		() => ({ 'x-webhook-secret': SECRET, ...signed(BODY, Date.now(), SECRET) }),
		true,
	],
];

const HEADERS = ['webhook-id', 'x-event-id'];
const EACH = WAYS.flatMap(([way, ...rest]) =>
	// The scheme has a header of its own for it.
	HEADERS.filter((name) => name === 'webhook-id' || way !== 'Standard Webhooks').map(
		(name) => [way, name, ...rest] as const,
	),
);

it.each(EACH)('[EVNT-05][R] %s, %s', async (_, name, env, headers, counts) => {
	const receiver = await start({ env: { INGEST_HMAC_SECRETS: '', ...env } });
	const post = async (id: string) => {
		const sent = { ...headers(id), [name]: id };
		return (await call(`${receiver.url}/events`, { method: 'POST', headers: sent, body: BODY }))
			.body;
	};
	const [isNew, isKnown] = [
		{ accepted: 1, duplicates: 0 },
		{ accepted: 0, duplicates: 1 },
	];
	expect(await post('first')).toEqual(isNew);
	expect(await post('first')).toEqual(isKnown);
	expect(await post('second')).toEqual(counts ? isNew : isKnown);
});
