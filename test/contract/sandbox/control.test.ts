import { sandboxClient } from '../../../sandbox/src/client/client.ts';
import { networkInterfaces } from 'node:os';
import { startSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts';
import { accountOf, call, control, sendOne } from './client.ts';
import { ownSandbox } from './own.ts';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox({ automatic: false });
});
afterEach(() => sandbox.close());

const state = async () => (await control(sandbox, '/state', { method: 'GET' })).json;
const page = (path: string, init?: RequestInit) => fetch(sandbox.pageUrl + path, init);

it('gives credentials to whoever asks on the machine', async () => {
	const { accounts } = (await control(sandbox, '/accounts', { method: 'GET' })).json;
	expect(accounts).toEqual(sandbox.accounts);
	const overHttps = await call(sandbox, '/_sandbox/accounts', { as: null });
	expect(overHttps.json.accounts).toEqual(sandbox.accounts);
});

it('resets to the seeds, with the same credentials', async () => {
	const id = await sendOne(sandbox, {});
	await control(sandbox, '/clock/advance', { body: { ms: 1e9 } });
	await control(sandbox, '/reset');
	expect((await state()).messages).toEqual([]);
	expect((await call(sandbox, `/messages/${id}`)).status).toBe(404);
	expect(Math.abs(Date.parse((await state()).now) - Date.now())).toBeLessThan(5000);
});

it('repeats ids and tokens exactly when asked', async () => {
	const seen = [];
	for (let round = 0; round < 2; round++) {
		const own = await ownSandbox({ deterministic: true });
		seen.push([await sendOne(own, {}), own.accounts.map(({ id, token }) => [id, token])]);
		await own.close();
	}
	expect(seen[0]).toEqual(seen[1]);
	expect(seen[0]?.[0]).toBe('000000000001');
});

it('names tokens after accounts in characters that a header carries', async () => {
	const own = await ownSandbox({ deterministic: true });
	const account = { name: 'Zoë', company: 'Zoë', role: 'direct' } as const;
	const { token } = await sandboxClient(own.pageUrl)('POST /accounts', account);
	const headers = { 'x-api-token': token };
	expect((await call(own, '/consents', { as: null, headers })).status).toBe(200);
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
	it('never serves the service, nor another web site', async () => {
		const token = accountOf(sandbox, 'direct').token;
		const response = await page('/messages/000000000001', { headers: { 'x-api-token': token } });
		expect((await response.json()).code).toBe('not-found');
		const foreign = { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } };
		expect((await page('/_sandbox/reset', foreign)).status).toBe(403);
	});

	it('escapes what strangers wrote', async () => {
		const recipients = [{ email: 'a@mail.example', company: '<script>alert(1)</script>' }];
		await sendOne(sandbox, { recipients, fileReference: '"><b>' });
		const text = await (await page('/')).text();
		expect(text).toContain('&lt;script&gt;alert(1)');
		expect(text).not.toMatch(/<script>alert|"><b>/);
	});
});
