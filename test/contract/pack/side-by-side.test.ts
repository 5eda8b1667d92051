// What starts and tests share: ports, what is made once for all, and what a start that was cut off leaves.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { alone } from '../../n8n/alone.ts';
import { root } from '../../n8n/folders.ts';
import { freePort } from '../../n8n/port.ts';
import { keptSecrets } from '../../n8n/secrets.ts';

let folder: string;
let others: ChildProcess[] = [];

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'registered-delivery-shared-'));
});
afterEach(async () => {
	for (const other of others) other.kill('SIGKILL');
	others = [];
	await rm(folder, { recursive: true, force: true });
});

/** Runs the source in another process, which goes on; returns that and the first line it prints. */
async function other(source: string): Promise<{ process: ChildProcess; line: string }> {
	const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source];
	const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
	others.push(child);
	const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
	return { process: child, line };
}

describe('a port', () => {
	const listening = async (port: number, host: string): Promise<Server> => {
		const server = createServer().listen(port, host);
		await once(server, 'listening');
		return server;
	};

	it('is free only where nobody listens on either loopback address', async () => {
		const first = await freePort();
		const hasIpv6 = await listening(0, '::1').then(
			(server) => (server.close(), true),
			() => false,
		);
		for (const host of ['127.0.0.1', ...(hasIpv6 ? ['::1'] : [])]) {
			const server = await listening(first, host);
			expect(await freePort(first)).toBeGreaterThan(first);
			server.close();
			await once(server, 'close');
		}
	});

	it('chosen by many at once, before any of them listens, is another for each', async () => {
		const first = await freePort();
		const source = `
			import { freePort } from ${JSON.stringify(join(root, 'test/n8n/port.ts'))};
			console.log(JSON.stringify(await Promise.all([1, 2, 3].map(() => freePort(${first})))));
			setInterval(() => {}, 1000);`;
		const chosen = await Promise.all([1, 2, 3].map(async () => (await other(source)).line));
		const ports = chosen.flatMap((line) => JSON.parse(line) as number[]);
		expect(new Set([first, ...ports]).size).toBe(10);
	});
});

it('work under one name, by many processes, is never done by two at once', async () => {
	const name = join(folder, 'made');
	const trace = join(folder, 'trace');
	const source = `
		import { appendFileSync } from 'node:fs';
		import { alone } from ${JSON.stringify(join(root, 'test/n8n/alone.ts'))};
		const say = (what) => appendFileSync(${JSON.stringify(trace)}, process.pid + ' ' + what + '\\n');
		for (let n = 0; n < 3; n++) {
			await alone(${JSON.stringify(name)}, async () => {
				say('begins');
				await new Promise((resolve) => setImmediate(resolve));
				say('ends');
			});
		}
		console.log('done');`;
	await Promise.all([1, 2, 3].map(() => other(source)));
	const lines = (await readFile(trace, 'utf8')).trim().split('\n');
	expect(lines).toHaveLength(18);
	for (let n = 0; n < lines.length; n += 2) {
		const [pid] = lines[n].split(' ');
		expect([lines[n], lines[n + 1]]).toEqual([`${pid} begins`, `${pid} ends`]);
	}
});

it('work that was killed holds up nobody, however much of its lock had been written', async () => {
	const name = join(folder, 'made');
	const { process: killed } = await other(`
		import { alone } from ${JSON.stringify(join(root, 'test/n8n/alone.ts'))};
		await alone(${JSON.stringify(name)}, async () => {
			console.log('at work');
			await new Promise((resolve) => setInterval(resolve, 1e9));
		});`);
	killed.kill('SIGKILL');
	await once(killed, 'exit');
	for (const file of await readdir(folder, { recursive: true })) {
		if ((await stat(join(folder, file))).isFile()) await writeFile(join(folder, file), '');
	}
	expect(await alone(name, async () => 'done')).toBe('done');
}, 20_000);

it('secrets are kept from start to start, and made again where writing them was cut off', async () => {
	const file = join(folder, 'secrets.json');
	const first = await keptSecrets(file);
	expect(await keptSecrets(file)).toEqual(first);
	const text = await readFile(file, 'utf8');
	for (const length of [0, 1, text.length - 1]) {
		await writeFile(file, text.slice(0, length));
		const again = await keptSecrets(file);
		expect(again.managementToken).toMatch(/^[\w-]{32}$/);
		expect(await keptSecrets(file)).toEqual(again);
	}
});
