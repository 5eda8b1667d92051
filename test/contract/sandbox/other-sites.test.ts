// Own client certificates, and which web pages may ask.
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
