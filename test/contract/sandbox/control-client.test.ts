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
