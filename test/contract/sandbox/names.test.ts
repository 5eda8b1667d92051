// The names it is reached by, and the lock on its folder.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { sandboxClient } from '../../../sandbox/src/client/client.ts';
import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import { root } from '../../n8n/folders.ts';
import { until } from '../../n8n/poll.ts';
import { ownSandbox } from './own.ts';

const run = promisify(execFile);
const MAIN = join(root, 'sandbox', 'src', 'main.ts');

let folder: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'sandbox-names-'));
});
afterEach(async () => {
	for (const child of children.splice(0)) {
		if (child.exitCode !== null || child.signalCode !== null) continue;
		child.kill('SIGKILL');
		await once(child, 'exit');
	}
	await rm(folder, { recursive: true });
});

/** Asks the service at 127.0.0.1, but for this name, as a client with a name service would. */
function underName(sandbox: Sandbox, name: string): Promise<number | undefined> {
	const { port } = new URL(sandbox.url);
	return new Promise((resolve, reject) => {
		https
			.get({
				host: '127.0.0.1',
				port,
				path: '/_sandbox/openapi.json',
				agent: false,
				servername: name,
				ca: sandbox.caCertificate,
				headers: { host: name },
			})
			.on('response', (response) => resolve(response.resume().statusCode))
			.on('error', reject);
	});
}

/** The status of a page's own interface under a Host header. */
function atPage(sandbox: Sandbox, host: string): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		http
			.get(`http://127.0.0.1:${new URL(sandbox.pageUrl).port}/`, { headers: { host } })
			.on('response', (response) => resolve(response.resume().statusCode))
			.on('error', reject);
	});
}

it('is for its names as well as for loopback, and the first name stands in links', async () => {
	const sandbox = await ownSandbox({ names: ['sandbox', 'sandbox.example'] });
	expect(sandbox.url).toMatch(/^https:\/\/sandbox:\d+$/);
	expect(sandbox.pageUrl).toMatch(/^http:\/\/sandbox:\d+$/);
	for (const name of ['sandbox', 'sandbox.example', 'localhost']) {
		expect(await underName(sandbox, name)).toBe(200);
	}
	await expect(underName(sandbox, 'elsewhere')).rejects.toThrow(/altnames/);
});

it('keeps its authority when a name is added, and renews only the server certificate', async () => {
	const first = await ownSandbox({ folder });
	await expect(underName(first, 'sandbox')).rejects.toThrow(/altnames/);
	await first.close();
	const second = await ownSandbox({ folder, names: ['sandbox', '10.1.2.3'] });
	expect(second.caCertificate).toBe(first.caCertificate);
	expect(second.accounts).toEqual(first.accounts);
	expect(await underName(second, 'sandbox')).toBe(200);
	await second.close();
	const identity = await readFile(join(folder, 'identity.json'), 'utf8');
	const third = await ownSandbox({ folder, names: ['10.1.2.3'] });
	expect(await readFile(join(folder, 'identity.json'), 'utf8')).toBe(identity);
	await third.close();
});

// Where its container runs is known only once it does: another host, or a container beside it.
it('is for the address that it is told, too, from then on', async () => {
	const sandbox = await ownSandbox({ host: '0.0.0.0' });
	const control = sandboxClient(sandbox.pageUrl);
	await expect(underName(sandbox, 'docker')).rejects.toThrow(/altnames/);
	await control('PUT /address', { url: 'https://docker:32768' });
	expect(await underName(sandbox, 'docker')).toBe(200);
	const url = `https://127.0.0.2:${new URL(sandbox.url).port}`;
	const get = () =>
		new Promise((resolve, reject) => {
			const options = { ca: sandbox.caCertificate, agent: false };
			const request = https.get(`${url}/_sandbox/openapi.json`, options, (response) =>
				resolve(response.resume().statusCode),
			);
			request.on('error', reject);
		});
	await expect(get()).rejects.toThrow(/altnames|cert's list/);
	await control('PUT /address', { url });
	expect(await get()).toBe(200);
	expect(await underName(sandbox, 'localhost')).toBe(200);
});

it('its page answers only to its names, also where it listens on every address', async () => {
	const named = await ownSandbox({ host: '0.0.0.0', names: ['sandbox'] });
	const statuses = async (...hosts: string[]) =>
		await Promise.all(hosts.map((host) => atPage(named, host)));
	expect(await statuses('sandbox', 'sandbox:8025', 'localhost:1', '[::1]:80')).toEqual(
		Array(4).fill(200),
	);
	expect(await statuses('elsewhere', 'sandbox.example', 'no host')).toEqual(Array(3).fill(403));
	const nameless = await ownSandbox({ host: '0.0.0.0' });
	for (const host of ['elsewhere', '192.0.2.7:8025', '[2001:db8::1]'])
		expect(await atPage(nameless, host)).toBe(200);
	// A stranger's domain that leads here.
	for (const host of ['evil.example:8025', 'evil.example.', 'no host'])
		expect(await atPage(nameless, host)).toBe(403);
});

/** Starts the command and waits until it has said where it is. */
async function started(args: string[], env: Record<string, string> = {}) {
	const child = spawn(process.execPath, [MAIN, ...args], {
		env: { PATH: process.env.PATH, ...env },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	children.push(child);
	let said = '';
	child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
	await until('the sandbox to say where it is', () => Promise.resolve(said.includes('Accounts')));
	return { child, said };
}

const refused = async (args: string[], env: Record<string, string> = {}) =>
	await run(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, ...env } }).then(
		() => 'it started',
		({ code, stderr }: { code: number; stderr: string }) => `${code} ${stderr}`,
	);

it('takes names as options and from the environment', async () => {
	const { said } = await started([], { SANDBOX_NAMES: 'Sandbox, other' });
	expect(said).toContain('https://sandbox:');
	expect(await refused(['--name', 'https://sandbox'])).toMatch(/^2 --name takes a host name/);
	expect(await refused(['--name', ''])).toMatch(/^2 --name takes/);
	expect(await refused([], { SANDBOX_NAMES: 'a,b:1' })).toMatch(/^2 SANDBOX_NAMES takes .*"b:1"/);
});

it('takes the secret of a webhook from a file', async () => {
	const file = join(folder, 'secret');
	const args = ['--webhook', 'http://127.0.0.1:9/', '--webhook-secret', `@${file}`];
	expect(await refused(args)).toMatch(/^2 --webhook-secret @.*ENOENT/);
	await writeFile(file, '\n');
	expect(await refused(args)).toMatch(/^2 --webhook .* needs a --webhook-secret/);
	await writeFile(file, 'from-a-file\n');
	expect((await started(args)).said).toContain('Service');
});

it('a second sandbox on a folder is refused and told who has it, and a killed one frees it', async () => {
	const { child: first } = await started(['--folder', folder]);
	const message = await refused(['--folder', folder]);
	expect(message).toContain(`process ${first.pid}, https://localhost:`);
	expect(message).toContain('--folder');
	first.kill('SIGKILL');
	await once(first, 'exit');
	const { child: next } = await started(['--folder', folder]);
	expect(next.pid).not.toBe(first.pid);
	next.kill('SIGTERM');
	await once(next, 'exit');
	await expect(readFile(join(folder, 'holder.json'))).rejects.toThrow(/ENOENT/);
});
