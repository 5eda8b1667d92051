import http from 'node:http';
import https from 'node:https';
import { networkInterfaces } from 'node:os';
import { startSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts';
import { until } from '../../n8n/poll.ts';
import { accountOf, call, letter, send, sendOne } from './client.ts';
import { ownSandbox } from './own.ts';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox({ automatic: false });
});
afterEach(() => sandbox.close());

const state = async () => await sandbox.control('GET /state');
const page = (path: string, init?: RequestInit) => fetch(sandbox.pageUrl + path, init);

it('gives credentials to whoever asks on the machine', async () => {
	const { accounts } = await sandbox.control('GET /accounts');
	expect(accounts).toEqual(sandbox.accounts);
	const overHttps = await call(sandbox, '/_sandbox/accounts', { as: null });
	expect(overHttps.json.accounts).toEqual(sandbox.accounts);
});

it('resets to the seeds, with the same credentials', async () => {
	const id = await sendOne(sandbox, {});
	await sandbox.control.advance(1e9);
	const webhooks = [{ url: 'http://127.0.0.1:9/', secret: 'a-secret' }];
	await sandbox.control('PUT /webhooks', { webhooks });
	await sandbox.control.reset();
	expect(await state()).toMatchObject({ messages: [], webhooks: { endpoints: [] } });
	expect((await call(sandbox, `/messages/${id}`)).status).toBe(404);
	expect(Math.abs(Date.parse((await state()).now) - Date.now())).toBeLessThan(5000);
});

it('frees its ports, also when it could not start', async () => {
	const port = Number(new URL(sandbox.url).port);
	await expect(startSandbox({ port })).rejects.toThrow(
		new RegExp(`^Port ${port} of .* another program has it\\. Stop that one, or choose another`),
	);
	await sandbox.close();
	sandbox = await startSandbox({ port, automatic: false });
	expect(sandbox.url).toBe(`https://localhost:${port}`);
});

it('answers on both loopback addresses where the machine has both', async () => {
	const hasIpv6 = Object.values(networkInterfaces())
		.flat()
		.some((one) => one?.address === '::1');
	const port = (url: string) => new URL(url).port;
	for (const address of ['127.0.0.1', ...(hasIpv6 ? ['[::1]'] : [])]) {
		const service = await call(sandbox, `https://${address}:${port(sandbox.url)}/consents`);
		expect(service.status).toBe(200);
		expect((await fetch(`http://${address}:${port(sandbox.pageUrl)}/`)).status).toBe(200);
	}
});

describe('the mails page', () => {
	it('never serves the service', async () => {
		const token = accountOf(sandbox, 'direct').token;
		const response = await page('/messages/000000000001', { headers: { 'x-api-token': token } });
		expect((await response.json()).code).toBe('not-found');
	});

	it('escapes what strangers wrote', async () => {
		const recipients = [{ email: 'a@mail.example', company: '<script>alert(1)</script>' }];
		await sendOne(sandbox, { recipients, fileReference: '"><b>' });
		const text = await (await page('/')).text();
		expect(text).toContain('&lt;script&gt;alert(1)');
		expect(text).not.toMatch(/<script>alert|"><b>/);
	});

	it('shows what others wrote as a page that can do nothing and is of no origin', async () => {
		const id = await sendOne(sandbox, { type: 'AES' });
		const { headers } = await page(`/letters/${id}`);
		const policy = headers.get('content-security-policy')?.split('; ') ?? [];
		expect(policy).toContain("default-src 'none'");
		const may = policy.find((rule) => rule.startsWith('sandbox'));
		expect(may).toBeDefined();
		expect(may).not.toMatch(/allow-(scripts|forms|same-origin)/);
	});
});

it('what is under way when a reset comes is refused, and nothing of it is left', async () => {
	await sandbox.control('POST /faults', { faults: [{ fault: { kind: 'delay', ms: 500 } }] });
	const sent = send(sandbox, letter());
	await until('it to be there', async () => {
		const { faults } = await sandbox.control('GET /faults');
		return faults[0].matched === 1;
	});
	await sandbox.control.reset();
	expect(await sent).toMatchObject({ status: 503, json: { code: 'world-replaced' } });
	expect((await state()).messages).toEqual([]);
});

it('a placed letter has what it was given, and its address decides nothing more', async () => {
	const own = await ownSandbox({ automatic: true, deliveryDelayMs: 1000 });
	const { customers } = await own.control('GET /state');
	const given = {
		type: 'AES' as const,
		email: 'open@mail.example',
		company: 'Analytical Engines',
		fileReference: 'FILE-1',
		sender: customers[0].id,
	};
	const place = (changes: object) =>
		own.control('POST /letters', {
			account: 'reseller',
			letters: [{ ...given, happens: ['deliver', 'bounce'], ...changes }],
		});
	await place({});
	await own.control.advance(3_600_000);
	const { messages } = await own.control('GET /state');
	const { fileReference, sender } = given;
	expect(messages).toMatchObject([{ status: 'UNDELIVERED', fileReference, sender }]);
	await expect(place({ happens: ['open'] })).rejects.toMatchObject({ status: 409 });
	await expect(place({ sender: accountOf(own, 'direct').id })).rejects.toMatchObject({
		status: 422,
	});
});

describe('who may ask', () => {
	// Reading at the page's address: strangers.test.ts.
	it('no page of another site, nor at the address of the service', async () => {
		const headers = { origin: 'http://app.example' };
		expect((await call(sandbox, '/_sandbox/state', { as: null, headers })).status).toBe(403);
		const foreign = { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } };
		expect((await page('/_sandbox/reset', foreign)).status).toBe(403);
	});

	/** The status under a name, as a client with a name service gets it. */
	const under = (name: string, { url, pageUrl, caCertificate: ca }: Sandbox, isPage: boolean) =>
		new Promise<number | undefined>((resolve, reject) => {
			const port = new URL(isPage ? pageUrl : url).port;
			const asked = { host: '127.0.0.1', port, headers: { host: name }, agent: false };
			const request = isPage
				? http.get({ ...asked, path: '/' })
				: https.get({ ...asked, path: '/_sandbox/openapi.json', servername: name, ca });
			request.on('response', (response) => resolve(response.resume().statusCode));
			request.on('error', reject);
		});

	it('it is for its names and loopback, and the first name stands in links', async () => {
		const own = await ownSandbox({ host: '0.0.0.0', names: ['sandbox', 'sandbox.example'] });
		expect(own.url).toMatch(/^https:\/\/sandbox:\d+$/);
		for (const name of ['sandbox', 'sandbox.example', 'localhost']) {
			expect(await under(name, own, false)).toBe(200);
			expect(await under(name, own, true)).toBe(200);
		}
		await expect(under('elsewhere', own, false)).rejects.toThrow(/altnames/);
		expect(await under('elsewhere', own, true)).toBe(403);
		// Without a name of its own it takes those of a network, but no domain that a stranger made lead here.
		const nameless = await ownSandbox({ host: '0.0.0.0' });
		expect(await under('elsewhere', nameless, true)).toBe(200);
		expect(await under('evil.example:8025', nameless, true)).toBe(403);
		await nameless.control('PUT /address', { url: 'https://docker:32768' });
		expect(await under('docker', nameless, false)).toBe(200);
	});
});
