import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sandboxClient, SandboxError } from '../../../sandbox/src/client/client.ts';
import { readEvents } from '../../../sandbox/src/client/events.ts';
import { CALLS } from '../../../sandbox/src/client/operations.ts';
import { ENDPOINTS } from '../../../sandbox/src/control/endpoints.ts';
import { root } from '../../n8n/folders.ts';
import { sendOne } from './client.ts';
import { ownSandbox } from './own.ts';

it('is current: run `npm run openapi` in sandbox/ otherwise', async () => {
	const program = join(root, 'sandbox/src/client/write-operations.ts');
	const { stdout } = await promisify(execFile)(process.execPath, [program], {
		maxBuffer: 16 * 1024 * 1024,
	});
	const bare = (text: string) => text.replaceAll(/[\s;,|"']+/g, '');
	const committed = readFileSync(join(root, 'sandbox/src/client/operations.ts'), 'utf8');
	expect(bare(committed)).toBe(bare(stdout));
});

it('has a method for each endpoint, and imports nothing', () => {
	expect(Object.keys(CALLS).sort()).toEqual(ENDPOINTS.map(({ id }) => id).sort());
	expect(Object.keys(sandboxClient('http://localhost:1')).sort()).toEqual(
		Object.keys(CALLS).sort(),
	);
	for (const file of ['client', 'events', 'sandbox-error', 'operations']) {
		const source = readFileSync(join(root, `sandbox/src/client/${file}.ts`), 'utf8');
		const imported = [...source.matchAll(/from '(.+)'/g)].map(([, from]) => from);
		expect(imported.filter((from) => !from?.startsWith('./'))).toEqual([]);
	}
});

it('puts what it is given into path and body, and gives back what comes', async () => {
	const sandbox = await ownSandbox();
	const client = sandboxClient(sandbox.pageUrl);
	const id = await sendOne(sandbox, { type: 'AES' });
	expect(await client.actOnMessage({ id, trigger: 'deliver' })).toEqual({ id, status: 'RECEIVED' });
	expect(await client.setKyc({ name: 'direct', valid: false })).toEqual({
		name: 'direct',
		kyc: false,
	});
	expect((await client.createAccount({ name: 'a b/ü?', company: 'Ü', role: 'direct' })).kyc).toBe(
		false,
	);
	expect((await client.setKyc({ name: 'a b/ü?', valid: true })).kyc).toBe(true);
	expect(await client.getCaCertificate()).toBe(sandbox.caCertificate);
	expect((await client.getState()).messages).toHaveLength(1);
	expect(await client.reset()).toEqual({ reset: true });
});

it('says in words what went wrong', async () => {
	const client = sandboxClient((await ownSandbox()).pageUrl);
	const failure = async (call: Promise<unknown>) => {
		const error = await call.then(
			() => null,
			(thrown: unknown) => thrown,
		);
		expect(error).toBeInstanceOf(SandboxError);
		return error as SandboxError;
	};
	const missing = await failure(client.restoreSnapshot({ name: 'none' }));
	expect([missing.message, missing.status, missing.code]).toEqual([
		'The sandbox answered 404 to restoreSnapshot: There is no snapshot none',
		404,
		'not-found',
	]);
	const wrong = await failure(client.advanceClock({ ms: -1 }));
	expect([wrong.status, wrong.message]).toEqual([422, expect.stringContaining('ms: ')]);
	const empty = await failure(client.saveSnapshot({ name: '' }));
	expect(empty.message).toBe('saveSnapshot needs name: give it a text that is not empty');
	const nobody = await failure(sandboxClient('http://localhost:1').reset());
	expect(nobody.message).toMatch(
		/^No sandbox answers at http:\/\/localhost:1 \(.+\)\. Is it running/,
	);
	const other = createServer((_request, response) => void response.writeHead(502).end('<html>'));
	await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
	const { port } = other.address() as AddressInfo;
	const strange = await failure(sandboxClient(`http://127.0.0.1:${port}`).getState());
	expect(strange.message).toContain('the answer is not a sandbox’s');
	other.close();
	const nowhere = await failure(sandboxClient('localhost:8025').reset());
	expect(nowhere.message).toBe('localhost:8025 is no address');
});

it.each<[string, (response: ServerResponse) => unknown, RegExp]>([
	['a page of something else', (to) => to.end('<html>'), /not a sandbox’s/],
	[
		'half an answer',
		(to) => {
			to.writeHead(200, { 'content-type': 'application/json', 'content-length': 99 });
			to.write('{"now":', () => to.destroy());
		},
		/^No sandbox answers at .*\(.+\)/,
	],
])('says in words what %s is', async (_what, answer, words) => {
	const other = createServer((_request, response) => {
		response.setHeader('content-type', 'text/html');
		answer(response);
	}).listen(0, '127.0.0.1');
	await once(other, 'listening');
	const client = sandboxClient(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
	for (const ask of [client.getState, client.getCaCertificate, client.followEvents]) {
		const error = await ask().catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(SandboxError);
		if (ask === client.getState) expect((error as Error).message).toMatch(words);
	}
	other.close();
});

it('says that a stream has ended with its sandbox', async () => {
	const sandbox = await ownSandbox();
	const follow = async () => {
		for await (const { event } of await sandboxClient(sandbox.pageUrl).followEvents())
			if (event === 'message') await sandbox.close();
	};
	await Promise.all([
		expect(follow()).rejects.toBeInstanceOf(SandboxError),
		sendOne(sandbox, {}).catch(() => undefined),
	]);
});

it('gives up when it is told to', async () => {
	const client = sandboxClient((await ownSandbox()).pageUrl);
	const signal = AbortSignal.abort(new Error('enough'));
	await expect(client.getState({}, { signal })).rejects.toThrow('enough');
});

it('reads an event stream as it comes, wherever it is cut', async () => {
	const sent =
		'retry: 1000\n\n: hello\n\nid: 7\nevent: mail\ndata: {"a":"ü"}\n\ndata: 2\n\ndata: 3';
	const bytes = new TextEncoder().encode(sent);
	const body = new ReadableStream<Uint8Array>({
		start(controller) {
			for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
			controller.close();
		},
	});
	const seen = [];
	for await (const event of readEvents(new Response(body))) seen.push(event);
	expect(seen).toEqual([
		{ id: '7', event: 'mail', data: { a: 'ü' } },
		{ id: null, event: 'message', data: 2 },
	]);
});
