// What comes to the door before anybody is let in: tries of an address, probes, and what the log says of
// those who are not let in.
import { serve } from '../../support/http-server.ts';
import { KEY, TOKEN, cleanUp, later, recordedLog, signed, start, until } from './harness.ts';

afterEach(cleanUp);

interface Line {
	msg: string;
	path: string;
	status: number;
	[member: string]: unknown;
}

/** A receiver, and what it says of the requests that it has answered. */
async function startLogged(env: Record<string, string> = {}) {
	const { logger, lines } = recordedLog();
	const receiver = await start({ env, dependencies: { logger } });
	const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
		const answer = await fetch(`${receiver.url}${path}`, { method, headers });
		const text = await answer.text();
		return { status: answer.status, text, challenge: answer.headers.get('www-authenticate') };
	};
	const requests = () =>
		lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'request');
	return { ...receiver, lines, requests, ask };
}

describe('an address that is tried before it is used', () => {
	it.each(['GET', 'HEAD', 'OPTIONS'])(
		'%s says that it is there, and nothing else',
		async (method) => {
			const { ask, emit } = await startLogged();
			await emit({ event: 'aes_sent' });
			const nothing = { status: 204, text: '', challenge: null };
			for (const path of ['/events', '/events/', '//events', '/events?challenge=1']) {
				expect([path, await ask(method, path)]).toEqual([path, nothing]);
				const basic = { authorization: 'Basic c2VydmljZTpwYXNzd29yZA==' };
				expect(await ask(method, path, basic)).toEqual(nothing);
			}
		},
	);

	it('answers with the events to a token alone', async () => {
		const { ask, emit } = await startLogged();
		await emit({ event: 'aes_sent' });
		const shown = await ask('GET', '//events', { authorization: `Bearer ${TOKEN}` });
		expect(shown).toMatchObject({ status: 200, text: expect.stringContaining('aes_sent') });
		const wrong = await ask('GET', '/events', { authorization: 'Bearer wrong' });
		expect(wrong).toMatchObject({ status: 401, challenge: 'Bearer' });
		expect(await ask('GET', '/events/evt_1')).toMatchObject({ status: 401 });
	});

	it('takes an event at //events', async () => {
		const { url, events } = await startLogged();
		const body = '{"event":"aes_sent"}';
		const init = { method: 'POST', headers: signed(body, Date.now()), body };
		expect((await fetch(`${url}//events`, init)).status).toBe(200);
		expect(await events()).toHaveLength(1);
	});
});

it('a probe gets one answer, whether it asks by GET, HEAD or OPTIONS', async () => {
	const receiver = await startLogged({ STOP_DELAY: '2s' });
	const answers = async () =>
		Promise.all(
			['GET', 'HEAD', 'OPTIONS'].map(
				async (method) => (await receiver.ask(method, '/readyz')).status,
			),
		);
	expect(await answers()).toEqual([200, 200, 200]);
	const closed = receiver.close();
	expect(await answers()).toEqual([503, 503, 503]);
	await closed;
});

// Each reason: unit/receiver/published-keys.test.ts.
it('says in the log, and to no sender, why keys cannot be fetched', async () => {
	const keys = await serve((_, response) => void response.writeHead(404).end());
	later(keys.close);
	const env = { INGEST_HMAC_SECRETS: '', INGEST_JWT_JWKS_URL: `${keys.url}/keys` };
	const { ask, lines } = await startLogged(env);
	const header = Buffer.from('{"alg":"ES256"}').toString('base64url');
	const answered = await ask('POST', '/events', { authorization: `Bearer ${header}.e30.AAAA` });
	expect(answered).toMatchObject({ status: 503, text: expect.not.stringContaining('JWKS') });
	expect(lines.join()).toMatch(
		`"message":"The keys that sign events cannot be fetched.: INGEST_JWT_JWKS_URL`,
	);
	expect(lines.join()).toContain('answers 404');
});

it('tells in the log what a signed body is that it cannot read', async () => {
	const { emit, requests } = await startLogged();
	await emit('noise');
	await emit('{}', { 'content-encoding': 'gzip' });
	await until(() => requests().length === 2, 'all are logged');
	expect(requests().map(({ status, problem }) => [status, problem])).toEqual([
		[400, "The body can't be read. It is neither JSON nor a form."],
		[400, 'Send the body without a content encoding; it has gzip.'],
	]);
});

it('a request is a line of the log, which says of a pull what it was given', async () => {
	const { pull, emit, requests } = await startLogged();
	await pull();
	await emit({ event: 'aes_sent' });
	await pull();
	await until(() => requests().length === 3, 'all are logged');
	const given = { status: 200, batches: 1, wakeUps: 0 };
	expect(requests()[2]).toMatchObject({ path: `/consumers/${KEY}/pull`, ...given });
});

it('no secret that a sender put into the path or the query stands in the log', async () => {
	const { ask, manage, lines, requests } = await startLogged();
	const secret = 'kq7x9f2mLw4p8s1t';
	const paths = [`/events/${secret}`, `//events/${secret}/x`, `/${secret}`, `/events;${secret}`];
	for (const path of [...paths, `/events?token=${secret}`, `/consumers/${secret}`]) {
		for (const method of ['POST', 'GET']) await ask(method, path);
	}
	await manage('GET', '/consumers/n8n~flow');
	await until(() => requests().length === 13, 'all are logged');
	expect(lines.join()).not.toContain(secret);
	expect(new Set(requests().map(({ path }) => path))).toEqual(
		new Set(['/events/…', '//events/…', '/…', '/events', '/consumers/…', '/consumers/n8n~flow']),
	);
});

it('its page runs its own scripts alone, sends no form and is in no frame of others', async () => {
	const { headers } = await fetch(`${(await start()).url}/`);
	const policy = headers.get('content-security-policy')?.split(';') ?? [];
	for (const rule of [
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self'",
		"connect-src 'self'",
		"form-action 'none'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
	]) {
		expect(policy).toContain(rule);
	}
	expect(headers.get('set-cookie')).toBeNull();
});
