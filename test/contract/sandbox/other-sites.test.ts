// Own client certificates, and which web pages may ask.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../../n8n/folders.ts';
import { makeCertificate } from '../../support/certificates.ts';
import { call, control, letter, send } from './client.ts';
import { ownSandbox } from './own.ts';

const from = (origin: string) => ({ as: null, headers: { origin } });

it('refuses other sites at the control API of both ports', async () => {
	const sandbox = await ownSandbox({});
	const headers = { origin: 'http://evil.example' };
	expect((await call(sandbox, '/_sandbox/ledger', from(headers.origin))).status).toBe(403);
	expect((await fetch(`${sandbox.pageUrl}/_sandbox/ledger`, { headers })).status).toBe(403);
	const open = await ownSandbox({ cors: [headers.origin] });
	for (const path of ['/_sandbox/ledger', '/messages/000000000000']) {
		const answer = await call(open, path, from(headers.origin));
		expect(answer.headers['access-control-allow-origin']).toBe(headers.origin);
	}
});

describe('a preflight request', () => {
	const origin = 'http://app.example:3000';
	const preflight = async (url: string, from: string) => {
		const answer = await fetch(url, {
			method: 'OPTIONS',
			headers: {
				origin: from,
				'access-control-request-method': 'POST',
				'access-control-request-headers': 'content-type, x-api-token',
			},
		});
		const allowed = (what: string) => answer.headers.get(`access-control-allow-${what}`);
		return [answer.status, allowed('origin'), allowed('methods'), allowed('headers')];
	};

	it('is answered for an origin that may ask, and for no other', async () => {
		const { pageUrl } = await ownSandbox({ cors: [origin] });
		const path = `${pageUrl}/_sandbox/letters`;
		expect(await preflight(path, origin)).toEqual([
			204,
			origin,
			'GET, POST, PUT, PATCH, DELETE',
			'content-type, x-api-token',
		]);
		for (const other of ['http://app.example', 'https://app.example:3000', 'null'])
			expect((await preflight(path, other)).slice(0, 2)).toEqual([403, null]);
	});

	it('needs no token at the service', async () => {
		const sandbox = await ownSandbox({ cors: [origin] });
		const { status, headers } = await call(sandbox, '/messages/bulk_send', {
			as: null,
			method: 'OPTIONS',
			headers: { origin, 'access-control-request-method': 'POST' },
		});
		expect([status, headers['access-control-allow-origin']]).toEqual([204, origin]);
	});
});

it.each(['http://app.example/path', '*'])(
	'a start with --cors %j says what an origin is',
	async (wrong) => {
		const main = join(root, 'sandbox', 'src', 'main.ts');
		const failed = promisify(execFile)(process.execPath, [main, `--cors=${wrong}`]);
		await expect(failed).rejects.toMatchObject({
			code: 2,
			stderr: expect.stringMatching(/^--cors takes the origin of a web page, such as http:/),
		});
	},
);

it('takes a letter under a certificate of its owner, and gives known ones as one PEM', async () => {
	const sandbox = await ownSandbox({});
	const own = await makeCertificate(Date.now() - 1000, Date.now() + 86_400_000);
	const path = '/accounts/direct/certificates';
	expect((await control(sandbox, path, { body: { pem: 'none' } })).status).toBe(422);
	const lre = letter({ type: 'LRE' });
	expect((await send(sandbox, lre, { certificate: own })).status).toBe(405);
	const added = await control(sandbox, path, { body: { pem: own.certificate } });
	expect([added.status, added.json.key]).toEqual([201, null]);
	expect((await control(sandbox, path, { body: { pem: own.certificate } })).status).toBe(409);
	expect((await send(sandbox, lre, { certificate: own })).status).toBe(201);
	const pem = await fetch(`${sandbox.pageUrl}/_sandbox/accounts/direct/client.pem`);
	const text = await pem.text();
	expect(text).toMatch(/^-----BEGIN CERTIFICATE-----[^]+\n-----BEGIN PRIVATE KEY-----/);
	const joined = { certificate: text, key: text };
	expect((await send(sandbox, lre, { certificate: joined })).status).toBe(201);
});
