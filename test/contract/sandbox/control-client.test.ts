import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { sandboxClient, SandboxError } from '../../../sandbox/src/client/client.ts';
import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { root } from '../../n8n/folders.ts';
import { startForwardProxy } from '../../support/forward-proxy.ts';
import { serve } from '../../support/http-server.ts';
import { sendOne } from './client.ts';

const sandbox = useSandbox({ automatic: false });

it('puts what it is given into path, query and body, and gives back what comes', async () => {
	const { control } = sandbox;
	const id = await sendOne(sandbox, { type: 'AES' });
	expect(await control('POST /messages/{id}/{trigger}', { id, trigger: 'deliver' })).toEqual({
		id,
		status: 'RECEIVED',
	});
	const odd = control('PUT /accounts/{name}/kyc', { name: 'a b/ü?', valid: true });
	await expect(odd).rejects.toThrow('There is no account a b/ü?');
	expect(await control('PUT /accounts/{name}/kyc', { name: 'direct', valid: true })).toEqual({
		name: 'direct',
		kyc: true,
	});
	const found = await control('GET /mails', { messageId: id, wait: 10, limit: 1 });
	expect(found).toMatchObject({ total: 1, mails: [{ messageId: id }] });
	expect(
		(await control('GET /mails', { messageId: undefined, to: 'nowhere@mail.example' })).total,
	).toBe(0);
	expect(await control('GET /ca.pem')).toBe(sandbox.caCertificate);
	expect(await control('DELETE /faults')).toEqual({ faults: [] });
	expect(await control('POST /reset')).toEqual({ reset: true });
});

it('waits for what is expected, and says what is there where it does not come', async () => {
	const { control, as } = sandbox;
	const { now } = await control('GET /clock');
	expect(Date.parse((await control.advance(60_000)).now) - Date.parse(now)).toBeGreaterThan(59_999);
	const coming = control.waitFor('GET /requests', { path: '/consents', count: 2 });
	await as('direct')('GET /consents');
	await as('reseller')('GET /consents', { perPage: 1 });
	expect((await coming).requests.map(({ account }) => account)).toEqual(['reseller', 'direct']);
	const vain = control.waitFor('GET /mails', { to: 'nobody@mail.example' }, 0.2);
	await expect(vain).rejects.toThrow(/^After 0.2 s there are 0 of GET \/mails .*nobody/);
	await control.reset();
	expect((await control('GET /requests')).total).toBe(0);
});

it('asks the service as an account, with its token and its certificate', async () => {
	const { as } = sandbox;
	const recipients = [{ email: 'ada@mail.example', firstname: 'Ada', lastname: 'Lovelace' }];
	const letter = { type: 'LRE' as const, body: '<p>Hello</p>', recipients };
	const { messages } = await as('direct')('POST /messages/bulk_send', letter);
	const { id } = messages[0];
	expect(await as('direct')('GET /messages/{id}', { id })).toMatchObject({ id, status: 'SENT' });
	const refused = as('token-only')('POST /messages/bulk_send', letter);
	await expect(refused).rejects.toMatchObject({
		status: 405,
		answer: { code: 'lre-must-use-mtls' },
		message: expect.stringMatching(/405 to POST .messages.bulk_send: LRE needs/),
	});
	const [{ id: customer }] = (await as('reseller')('GET /customers')).data;
	expect(await as('reseller')('DELETE /customers/{id}/logo', { id: customer })).toBeUndefined();
	expect(() => as('nobody')).toThrow('The sandbox has no account nobody');
});

it('says in words what went wrong', async () => {
	const failure = async (call: Promise<unknown>) => {
		const error = await call.then(
			() => null,
			(thrown: unknown) => thrown,
		);
		expect(error).toBeInstanceOf(SandboxError);
		return error as SandboxError;
	};
	const { control } = sandbox;
	const missing = await failure(control('PUT /accounts/{name}/kyc', { name: 'none', valid: true }));
	expect([missing.message, missing.status]).toEqual([
		'The sandbox answered 404 to PUT /accounts/{name}/kyc: There is no account none',
		404,
	]);
	const wrong = await failure(control('POST /clock/advance', { ms: -1 }));
	expect([wrong.status, wrong.message]).toEqual([422, expect.stringContaining('ms')]);
	const nobody = await failure(sandboxClient('http://localhost:1')('POST /reset'));
	expect(nobody.message).toMatch(
		/^No sandbox answers at http:\/\/localhost:1 \(.+\)\. Is it running/,
	);
	// Something else, and half an answer.
	const other = await serve((request, response) => {
		if (request.method === 'POST') return void response.end('<html>');
		response.writeHead(200, { 'content-length': 99 });
		response.write('{"now":', () => response.destroy());
	});
	const elsewhere = sandboxClient(other.url);
	const strange = await failure(elsewhere('POST /reset'));
	expect(strange.message).toContain('no answer of a sandbox');
	expect((await failure(elsewhere('GET /state'))).message).toMatch(/^No sandbox answers at/);
	await other.close();
});

it('says that the proxy of the environment is asked instead', async () => {
	const client = JSON.stringify(join(root, 'sandbox/src/client/client.ts'));
	const program = `
		import { sandboxClient } from ${client};
		await sandboxClient('${sandbox.pageUrl}')('GET /state').then(console.log, ({ message }) => console.log(message));
	`;
	const proxy = await startForwardProxy();
	proxy.refuse = () => 'HTTP/1.1 503 Unavailable\r\n\r\n';
	const { stdout } = await promisify(execFile)(
		process.execPath,
		['--input-type=module', '--eval', program],
		{ env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url } },
	);
	expect(stdout).toContain('NODE_USE_ENV_PROXY sends it through the proxy of HTTP_PROXY');
	await proxy.close();
});
