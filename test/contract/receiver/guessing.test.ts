// Who guesses is stopped, alone: whoever has a right credential gets in.
import { serve } from '../../support/http-server.ts';
import { ManualClock, TOKEN, call, cleanUp, later, start } from './harness.ts';

afterEach(cleanUp);

const MINUTE = 60_000;
const BODY = '{"event":"aes_sent","messageId":1}';
/** Tests say by this header who they are. */
const PROXY = { TRUSTED_PROXIES: '127.0.0.1' };
const from = (address: string) => ({ 'x-forwarded-for': address });
const [GUESSER, N8N] = ['192.0.2.66', '192.0.2.7'];

/** One address as Azure, IIS and others forward it. */
const SPELLINGS = {
	v4: ['203.0.113.7', '203.0.113.7:443', '203.0.113.7:50001', '"203.0.113.7:80"', ' 203.0.113.7'],
	v6: [
		'2001:db8::1',
		'[2001:db8::1]:443',
		'"[2001:db8::1]"',
		'"[2001:db8::1]:50001"',
		' 2001:db8::1',
	],
	none: [
		'unknown',
		'_hidden',
		'203.0.113',
		'203.0.113.700',
		'[2001:db8::1',
		'::1]:443',
		'a.b-c',
		'[]',
	],
};

type Try = (address: string, credential: string) => Promise<Awaited<ReturnType<typeof call>>>;

/** Many at once: a guesser does not wait for an answer. */
const guess = async (attempt: Try, address: string, times: number, word = 'guess') => {
	const answers = await Promise.all(
		Array.from({ length: times }, (_, n) => attempt(address, `${word}-${n}`)),
	);
	const counted = Map.groupBy(answers, ({ status }) => status);
	return Object.fromEntries([...counted].map(([status, { length }]) => [status, length]));
};

/** A way in with events, and the one of n8n and operators, and how to try each. */
const WAYS: Array<[string, Record<string, string>, string, (url: string) => Try]> = [
	[
		'shared secret',
		{ INGEST_HMAC_SECRETS: '', INGEST_SHARED_SECRETS: 'the-secret' },
		'the-secret',
		(url) => (address, secret) =>
			call(`${url}/events`, {
				method: 'POST',
				headers: { ...from(address), 'x-webhook-secret': secret },
				body: BODY,
			}),
	],
	[
		'management token',
		{},
		TOKEN,
		(url) => (address, token) =>
			call(`${url}/events`, { headers: { ...from(address), authorization: `Bearer ${token}` } }),
	],
];

describe.each(WAYS)('%s', (_, env, right, way) => {
	const begin = async (more: Record<string, string> = {}) => {
		const clock = new ManualClock();
		// Signatures go by the true time.
		clock.set(Date.now() - clock.now());
		const receiver = await start({ env: { ...PROXY, ...env, ...more }, dependencies: { clock } });
		return { clock, receiver, attempt: way(receiver.url) };
	};

	it('ten wrong ones a minute, then none is looked at, not even a right one', async () => {
		const { clock, attempt } = await begin();
		expect(await guess(attempt, GUESSER, 100)).toEqual({ 401: 10, 429: 90 });
		const refused = await attempt(GUESSER, right);
		expect(refused.status).toBe(429);
		expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
		expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
		expect((await attempt(N8N, right)).status).toBe(200);
		clock.advance(MINUTE);
		expect((await attempt(GUESSER, right)).status).toBe(200);
		// Who is slower may go on.
		for (let n = 0; n < 12; n++) {
			expect((await attempt('192.0.2.67', `slow-${n}`)).status).toBe(401);
			clock.advance(MINUTE / 2);
		}
	});

	it('who has been let in lately gets in, whatever others at the same address do', async () => {
		const { clock, attempt } = await begin();
		expect((await attempt(N8N, right)).status).toBe(200);
		for (const round of [1, 2, 3]) {
			const wrong = await guess(attempt, N8N, 15, `guess-${round}`);
			expect(wrong).toEqual({ 401: 10, 429: 5 });
			expect((await attempt(N8N, right)).status).toBe(200);
			clock.advance(59 * MINUTE);
			clock.set(-59 * MINUTE);
		}
		clock.advance(61 * MINUTE);
		clock.set(-61 * MINUTE);
		await guess(attempt, N8N, 15);
		expect((await attempt(N8N, right)).status).toBe(429);
	});

	it('counts a network of 64 bits as one, and a mapped IPv4 address as what it is', async () => {
		const { attempt } = await begin();
		for (let n = 0; n < 10; n++) await attempt(`2001:db8:0:1::${n}`, `guess-${n}`);
		for (let n = 0; n < 10; n++) await attempt(`::ffff:192.0.2.66`, `guess-${n}`);
		expect((await attempt(GUESSER, right)).status).toBe(429);
		expect((await attempt('::ffff:192.0.2.67', right)).status).toBe(200);
		expect((await attempt('2001:db8:0:1:ffff::1', right)).status).toBe(429);
		expect((await attempt('2001:db8:0:2::1', right)).status).toBe(200);
	});

	it('counts an address as one however proxies write it, and all that are none as one', async () => {
		const { attempt } = await begin();
		for (const [kind, other] of [
			['v4', '203.0.113.8:443'],
			['v6', '[2001:db8:0:1::1]:443'],
			['none', '203.0.113.9'],
		] as const) {
			const answers: number[] = [];
			for (let n = 0; n < 16; n++) {
				const spelled = SPELLINGS[kind][n % SPELLINGS[kind].length];
				answers.push((await attempt(spelled, `guess-${kind}-${n}`)).status);
			}
			expect(answers).toEqual([...Array<number>(10).fill(401), ...Array<number>(6).fill(429)]);
			expect((await attempt(other, right)).status).toBe(200);
		}
	});

	it('looks behind each of several trusted proxies, whatever port they came from', async () => {
		const { attempt } = await begin({ TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' });
		const behind = (address: string, port: number) => `${address}, 10.1.2.3:${port}`;
		for (let n = 0; n < 10; n++) await attempt(behind('203.0.113.7', 50_000 + n), `guess-${n}`);
		expect((await attempt(behind('203.0.113.7', 443), right)).status).toBe(429);
		expect((await attempt(behind('203.0.113.8', 443), right)).status).toBe(200);
	});
});

it('an outdated token, however often it comes, is no guess and is told so', async () => {
	const receiver = await start();
	for (let n = 0; n < 50; n++) {
		const { status } = await receiver.manage('GET', '/consumers', undefined, 'outdated-token');
		expect(status).toBe(401);
	}
	expect((await receiver.manage('GET', '/consumers')).status).toBe(200);
});

it('a management token in a header of its own, beside what a proxy has in Authorization', async () => {
	const { url } = await start();
	const status = async (headers: Record<string, string>) =>
		(await fetch(`${url}/consumers`, { headers })).status;
	const authorization = `Basic ${btoa('me:secret')}`;
	expect(await status({ authorization, 'x-management-token': TOKEN })).toBe(200);
	expect(await status({ authorization, 'x-management-token': 'wrong' })).toBe(401);
	expect(await status({ authorization })).toBe(401);
});

it('being let in with events does not spare who guesses management tokens', async () => {
	const receiver = await start();
	expect((await receiver.emit(BODY)).status).toBe(200);
	const attempt: Try = (_, token) => receiver.manage('GET', '/events', undefined, token);
	await guess(attempt, '', 20);
	expect((await receiver.manage('GET', '/events')).status).toBe(429);
	expect((await receiver.emit(BODY)).status).toBe(200);
});

it('a flood of JWTs with unknown keys is one fetch, and good ones are asked to come again', async () => {
	let fetches = 0;
	const jwks = await serve((_, response) => {
		fetches++;
		response.writeHead(500).end();
	});
	later(jwks.close);
	const env = { INGEST_HMAC_SECRETS: '', INGEST_JWT_JWKS_URL: `${jwks.url}/` };
	const receiver = await start({ env: { ...PROXY, ...env } });
	const header = Buffer.from('{"alg":"ES256","kid":"unknown"}').toString('base64url');
	const attempt: Try = (address) =>
		call(`${receiver.url}/events`, {
			method: 'POST',
			headers: { ...from(address), authorization: `Bearer ${header}.e30.AAAA` },
			body: BODY,
		});
	expect(await guess(attempt, GUESSER, 100)).toEqual({ 429: 90, 503: 10 });
	expect((await attempt(N8N, '')).status).toBe(503);
	expect(fetches).toBe(1);
});
