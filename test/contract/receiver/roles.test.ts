// Tokens by role: n8n need not hold the key to the whole store.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOLDER, KEY, call, cleanUp, start } from './harness.ts';

afterEach(cleanUp);

const TOKENS = {
	MANAGEMENT_TOKEN: 'token-of-the-management',
	N8N_TOKEN: 'token-of-n8n-and-no-other',
	OPERATOR_TOKEN: 'token-of-the-operator',
	BACKUP_TOKEN: 'token-of-the-backup',
	METRICS_TOKEN: 'token-of-the-metrics',
};

type Name = keyof typeof TOKENS;

const ID = '000000000001';
const WAIT = 'f6a1d8c2-7a54-4b43-9a0a-3f5d5c7a2f10';

/** What each request takes; the management has all. */
const REQUESTS: Array<[method: string, path: string, who: Name[]]> = [
	['POST', `/consumers/${encodeURIComponent(KEY)}/pull`, ['N8N_TOKEN', 'OPERATOR_TOKEN']],
	['GET', '/consumers', ['N8N_TOKEN', 'OPERATOR_TOKEN']],
	['PUT', '/claims', ['N8N_TOKEN', 'OPERATOR_TOKEN']],
	['PUT', '/claims/one', ['N8N_TOKEN', 'OPERATOR_TOKEN']],
	['PUT', `/waits/${WAIT}`, ['N8N_TOKEN', 'OPERATOR_TOKEN']],
	['DELETE', `/waits/${WAIT}`, ['N8N_TOKEN', 'OPERATOR_TOKEN']],
	['PUT', `/watches/${ID}`, ['N8N_TOKEN', 'OPERATOR_TOKEN']],
	['POST', '/watches', ['N8N_TOKEN', 'OPERATOR_TOKEN']],
	['GET', '/letters', ['N8N_TOKEN', 'OPERATOR_TOKEN']],
	['GET', '/letters/summary', ['N8N_TOKEN', 'OPERATOR_TOKEN']],
	['GET', `/letters/${ID}`, ['OPERATOR_TOKEN']],
	['GET', '/claims', ['OPERATOR_TOKEN']],
	['GET', '/claims/one', ['OPERATOR_TOKEN']],
	['DELETE', '/claims/one', ['OPERATOR_TOKEN']],
	['POST', '/claims/one/sent', ['OPERATOR_TOKEN']],
	['DELETE', '/claims/one/names', ['OPERATOR_TOKEN']],
	['DELETE', '/consents/one', ['OPERATOR_TOKEN']],
	['DELETE', '/customers/one', ['OPERATOR_TOKEN']],
	['DELETE', `/watches/${ID}`, ['OPERATOR_TOKEN']],
	['GET', '/waits', ['OPERATOR_TOKEN']],
	['GET', '/events', ['OPERATOR_TOKEN']],
	['GET', '/batches', ['OPERATOR_TOKEN']],
	['POST', '/batches/retry?state=dead', ['OPERATOR_TOKEN']],
	['GET', '/attention', ['OPERATOR_TOKEN']],
	['DELETE', `/letters/${ID}`, ['OPERATOR_TOKEN']],
	['DELETE', `/consumers/${encodeURIComponent(KEY)}`, ['OPERATOR_TOKEN']],
	['GET', '/backup', ['BACKUP_TOKEN']],
	['GET', '/BACKUP/', ['BACKUP_TOKEN']],
	['GET', '/metrics', ['METRICS_TOKEN', 'OPERATOR_TOKEN']],
	['GET', '/Metrics/', ['METRICS_TOKEN', 'OPERATOR_TOKEN']],
];

it('each token may ask what its role needs, and nothing else', async () => {
	const { url } = await start({ env: TOKENS });
	for (const [method, path, who] of REQUESTS) {
		const allowed: string[] = [];
		for (const [name, token] of Object.entries(TOKENS)) {
			const headers = { authorization: `Bearer ${token}` };
			const { status } = await fetch(`${url}${path}`, { method, headers });
			expect([path, status === 401]).toEqual([path, false]);
			if (status !== 403) allowed.push(name);
		}
		expect([method, path, allowed.sort()]).toEqual([
			method,
			path,
			['MANAGEMENT_TOKEN', ...who].sort(),
		]);
		// Who tries the address of events without a token learns nothing.
		const nobody = method === 'GET' && path === '/events' ? 204 : 401;
		expect((await fetch(`${url}${path}`, { method })).status).toBe(nobody);
	}
});

it('several of one role are valid at once, so that one can be replaced without a gap', async () => {
	const [token, next] = [TOKENS.MANAGEMENT_TOKEN, 'the-token-that-comes-next'];
	const { url } = await start({ env: { MANAGEMENT_TOKEN: token, MANAGEMENT_TOKEN_2: next } });
	const status = async (authorization: string) =>
		(await fetch(`${url}/consumers`, { headers: { authorization } })).status;
	for (const valid of [token, next]) expect(await status(`Bearer ${valid}`)).toBe(200);
	for (const none of ['', 'wrong', token.slice(1), `${token},${token}`, `${token}, ${next}`]) {
		expect([none, await status(`Bearer ${none}`)]).toEqual([none, 401]);
	}
	expect(await status(`Basic ${token}`)).toBe(401);
});

it('a refusal says which role it takes', async () => {
	const { url } = await start({ env: TOKENS });
	const headers = { authorization: `Bearer ${TOKENS.N8N_TOKEN}` };
	const { status, body } = await call(`${url}/backup`, { headers });
	expect([status, body.message]).toEqual([
		403,
		'The token of the role n8n may not ask this: it takes one of the role backup, or MANAGEMENT_TOKEN.',
	]);
});

it('n8n works with its own token alone; metrics need none until they have one', async () => {
	const { N8N_TOKEN } = TOKENS;
	const { url } = await start({ env: { MANAGEMENT_TOKEN: '', N8N_TOKEN } });
	const pulled = await fetch(`${url}/consumers/${encodeURIComponent(KEY)}/pull`, {
		method: 'POST',
		headers: { authorization: `Bearer ${N8N_TOKEN}`, 'content-type': 'application/json' },
		body: JSON.stringify({ holder: HOLDER, wants: null, atOnce: 1, settle: [], openMs: 0 }),
	});
	expect(pulled.status).toBe(200);
	expect((await fetch(`${url}/metrics`)).status).toBe(200);
});

it('the token that the README gives to n8n serves it, erases nothing and carries nothing away', async () => {
	const readme = readFileSync(join(__dirname, '../../../webhook-receiver/README.md'), 'utf8');
	const made = [...readme.matchAll(/^ +(\w+_TOKEN)=\$\(openssl/gm)].map(([, name = '']) => name);
	const [, given = ''] = /^5\. In n8n.* and `(\w+)`/m.exec(readme) ?? [];
	expect(made).toContain(given);
	const { url } = await start({
		env: Object.fromEntries(made.map((name) => [name, name.padEnd(32, '-')])),
	});
	const headers = { authorization: `Bearer ${given.padEnd(32, '-')}` };
	const status = async (method: string, path: string) =>
		(await fetch(`${url}${path}`, { method, headers })).status;
	expect(await status('GET', '/consumers')).toBe(200);
	expect(await status('DELETE', `/letters/${ID}`)).toBe(403);
	expect(await status('GET', '/backup')).toBe(403);
});
