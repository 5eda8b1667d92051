// What strangers, stalled readers and a deleted file do to a receiver.
import { execFileSync, spawnSync } from 'node:child_process';
import {
	chmodSync,
	readFileSync,
	readdirSync,
	renameSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { createServer, connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { root } from '../../n8n/folders.ts';
import {
	ManualClock,
	TOKEN,
	cleanUp,
	environment,
	later,
	start,
	temporaryFolder,
	until,
} from './harness.ts';
import { query, startPostgres } from './postgres-server.ts';
import { startProcess } from './process.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

/** The status of the answer to a request line as it is. */
function raw(url: string, line: string): Promise<number> {
	const { hostname, port } = new URL(url);
	return new Promise((resolve, reject) => {
		const socket = connect(Number(port), hostname, () =>
			socket.write(`${line}\r\nhost: x\r\nconnection: close\r\n\r\n`, 'latin1'),
		);
		let answer = '';
		socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
		socket.on('error', reject);
		socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])));
	});
}

it('no path is a fault of ours, whatever is in it', async () => {
	const { url } = await start();
	const parts = ['messages', 'page', 'search', 'workflows', 'events', 'waits', '000000000123'];
	const odd = [
		'%ff',
		'%',
		'%c3%28',
		'%00',
		'%E0%80%80',
		'..',
		'',
		'?message=%ff',
		'?x[y]=%zz',
		';',
		'*',
		'#',
		'\\',
	];
	const path = fc.array(fc.constantFrom(...parts, ...odd), { minLength: 1, maxLength: 4 });
	const method = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'HEAD');
	await fc.assert(
		fc.asyncProperty(method, path, async (verb, some) => {
			expect(await raw(url, `${verb} /${some.join('/')} HTTP/1.1`)).toBeLessThan(500);
		}),
		{ numRuns: 200, examples: [['GET', ['messages', '%ff']]] },
	);
	expect(await raw(url, 'GET /letters/%ff HTTP/1.1')).toBe(400);
});

it('a reader of a backup that stops reading makes room for the next one after a minute or two', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	for (let n = 0; n < 25; n++) {
		await receiver.emit({ id: `e-${n}`, event: 'aes_sent', text: 'x'.repeat(900_000) });
	}
	const { hostname, port } = new URL(receiver.url);
	const socket = connect(Number(port), hostname);
	later(() => void socket.destroy());
	socket.write(`GET /backup HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`);
	await new Promise((resolve) => socket.once('readable', resolve));
	const headers = { authorization: `Bearer ${TOKEN}` };
	const next = async () => {
		const answer = await fetch(`${receiver.url}/backup`, { headers });
		await answer.arrayBuffer();
		return answer.status;
	};
	expect(await next()).toBe(409);
	await until(async () => {
		clock.advance(61_000);
		return (await next()) === 200;
	}, 'the next one gets its copy');
});

it('says at once that its file is gone, and goes on when it is back', async () => {
	const receiver = await start();
	expect((await receiver.emit({ event: 'aes_sent' })).status).toBe(200);
	for (const name of ['receiver.sqlite', 'receiver.sqlite-wal']) {
		const file = join(receiver.folder, name);
		renameSync(file, `${file}.away`);
		expect((await receiver.emit({ event: 'aes_opened', n: name })).status).toBe(503);
		await until(async () => (await fetch(`${receiver.url}/readyz`)).status === 503, 'it says so');
		renameSync(`${file}.away`, file);
		expect((await receiver.emit({ event: 'aes_received', n: name })).status).toBe(200);
		await until(async () => (await fetch(`${receiver.url}/readyz`)).status === 200, 'it is ready');
	}
});

it('has every counter from the start, so that increase() sees the first burst', async () => {
	const text = await (await start()).metrics();
	const counters = [...text.matchAll(/^# TYPE (receiver_\w+) counter$/gm)].map(([, name]) => name);
	expect(counters.length).toBeGreaterThan(5);
	const series = (name: string) => text.split('\n').filter((line) => line.startsWith(`${name}`));
	for (const name of counters) expect(series(name ?? '').length).toBeGreaterThan(0);
	for (const [name, label, values] of [
		['receiver_events_total', 'outcome', ['accepted', 'duplicate', 'refused']],
		['receiver_batches_total', 'outcome', ['handed-out', 'ack', 'nak', 'dead']],
		['receiver_wake_ups_total', 'outcome', ['handed-out', 'ack', 'nak', 'dead']],
		['receiver_watch_polls_total', 'result', ['status', 'list-page', 'refused', 'busy', 'failed']],
	] as const) {
		for (const value of values) expect(text).toContain(`${name}{${label}="${value}"} 0\n`);
	}
});

describe('an error at the start names the variable and what to do', () => {
	const startWith = (env: Record<string, string>, folder = temporaryFolder()) =>
		startProcess(folder, env);

	it.each([
		['HOST 203.0.113.1: this machine has no such address. Set', { HOST: '203.0.113.1' }],
		['HOST no-such-host.invalid: this name has no address. Set', { HOST: 'no-such-host.invalid' }],
		['its folder is not there and can not be made', { DATABASE_FILE: '/proc/receiver.sqlite' }],
		['can not be made. Name', { DATABASE_FILE: `${__filename}/receiver.sqlite` }],
		['it is no file that SQLite can open. Name', { DATABASE_FILE: __dirname }],
		['it is no database. Name another file.', { DATABASE_FILE: __filename }],
		['DATABASE_FILE: keeps nothing: name a file', { DATABASE_FILE: ':memory:' }],
		[
			'DATABASE_URL: no server listens there. Start',
			{ DATABASE_URL: 'postgres://a@127.0.0.1:9/b' },
		],
		['DATABASE_URL: its host has no address.', { DATABASE_URL: 'postgres://a@no.invalid/b' }],
		['STOP_TIMEOUT: is longer than 1d', { STOP_TIMEOUT: '30d' }],
		['STOP_DELAY: is longer than 1d', { STOP_DELAY: '30d' }],
	])('%s: %j', async (said, env) => {
		const [name, value] = Object.entries(env)[0] as [string, string];
		const failing = startWith({ [name]: value });
		await expect(failing).rejects.toThrow(new RegExp(`^\\s*(?:.*\\n\\s*)?${name}[: ]`));
		await expect(failing).rejects.toThrow(said);
	});

	it('a database that is not there, and a password that is wrong or missing, which is never said', async () => {
		const folder = temporaryFolder();
		const hba_file = join(folder, 'pg_hba.conf');
		const trusted = 'host all postgres 127.0.0.1/32 trust';
		writeFileSync(hba_file, `${trusted}\nhost all all 127.0.0.1/32 scram-sha-256\n`);
		// The server may run as another user.
		chmodSync(folder, 0o755);
		const server = await startPostgres({ hba_file });
		later(() => server.stop());
		await query(server.url, "CREATE ROLE receiver LOGIN PASSWORD 'right-password'");
		const failing = async (user: string, database: string) => {
			const DATABASE_URL = server.url.replace(/postgres@(.*)\/.*/, `${user}@$1/${database}`);
			const error = await startWith({ DATABASE_URL }).catch(String);
			expect(error).not.toMatch(/(wrong|right)-password/);
			return error;
		};
		expect(await failing('receiver:wrong-password', 'postgres')).toContain(
			'DATABASE_URL: the server refuses the password. Check user and password.',
		);
		expect(await failing('receiver', 'postgres')).toContain(
			'DATABASE_URL: the server wants a password. Put one behind the user, with a colon.',
		);
		expect(await failing('receiver:right-password', 'missing')).toContain(
			'DATABASE_URL: the server has no such database. Create it, or name another one.',
		);
	});

	it('a link to a file that is not there; one to a file is the file', async () => {
		const folder = temporaryFolder();
		const [file, link] = [join(folder, 'there.sqlite'), join(folder, 'link.sqlite')];
		symlinkSync(file, link);
		await expect(startWith({ DATABASE_FILE: link }, folder)).rejects.toThrow(
			`DATABASE_FILE ${link}: it is a link to a file that is not there. Name the file.`,
		);
		writeFileSync(file, '');
		const receiver = await startWith({ DATABASE_FILE: link }, folder);
		expect((await receiver.emit({ event: 'aes_sent' })).status).toBe(200);
	});

	it('a port that is taken', async () => {
		const taken = createServer().listen(0, '127.0.0.1');
		later(() => void taken.close());
		await new Promise((resolve) => taken.once('listening', resolve));
		const { port } = taken.address() as AddressInfo;
		await expect(startWith({ PORT: String(port) })).rejects.toThrow(
			`PORT ${port}: another program listens there, on 127.0.0.1. Stop it, or set another PORT.`,
		);
	});

	it('a key that can not be made beside the file', async () => {
		const folder = temporaryFolder();
		execFileSync('mkdir', [join(folder, 'receiver.sqlite.key.new')]);
		await expect(startWith({}, folder)).rejects.toThrow(
			/^DATABASE_FILE .*receiver\.sqlite: it is a folder/,
		);
	});

	describe('a disk that is read-only', () => {
		/** Where users may make namespaces, anyone can mount. */
		const mounts = (options: string, command: string) => [
			'-rm',
			'sh',
			'-c',
			`mount -t tmpfs ${options} none "$FOLDER" && ${command}`,
		];
		const canMount = spawnSync('unshare', mounts('-o ro', 'true'), {
			env: { PATH: process.env.PATH, FOLDER: temporaryFolder() },
		});
		(canMount.status === 0 ? it.each : it.skip.each)([
			['without a file yet', '-o ro', ''],
			['with one', '', 'node "$MAIN" & sleep 3; kill $!; wait $!; mount -o remount,ro "$FOLDER";'],
		])('%s', (_, options, before) => {
			const folder = temporaryFolder();
			const main = join(root, 'webhook-receiver/src/main.ts');
			const { stderr } = spawnSync('unshare', mounts(options, `${before} node "$MAIN"`), {
				encoding: 'utf8',
				env: {
					...environment(folder),
					PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
					MAIN: main,
					FOLDER: folder,
				},
			});
			expect(stderr).toMatch(
				/^DATABASE_FILE .*receiver\.sqlite: it is on a disk that is read-only/m,
			);
		});
	});
});

it.each(['compose.yaml', 'compose.queue.yaml'])(
	'the commands of %s make secrets that the user in the container can read, under any umask',
	(file) => {
		const folder = temporaryFolder();
		const text = readFileSync(join(root, 'webhook-receiver', file), 'utf8');
		const commands = text
			.split('\n')
			.filter((line) => /^# {3}/.test(line))
			.map((line) => line.replace(/^# {3}/, '').replace('cd webhook-receiver && ', ''))
			.filter((line) => !line.startsWith('docker'));
		execFileSync('sh', ['-euc', `umask 077\n${commands.join('\n')}`], { cwd: folder });
		const secrets = readdirSync(join(folder, 'secrets'));
		const used = [...text.matchAll(/file: \.\/secrets\/([\w-]+)/g)].map(([, name]) => name);
		expect(secrets.sort()).toEqual(used.sort());
		for (const name of secrets) {
			expect(statSync(join(folder, 'secrets', name)).mode & 0o777).toBe(0o644);
		}
		expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
	},
);

it.each(['compose.yaml', 'compose.queue.yaml', 'fly.toml'])(
	'what %s says to read is there',
	(file) => {
		const text = readFileSync(join(root, 'webhook-receiver', file), 'utf8');
		const places = [...text.matchAll(/see "([^"]+)" in (\S+\.md)/g)];
		expect(places).not.toEqual([]);
		for (const [, title, page] of places) {
			expect(readFileSync(join(root, 'webhook-receiver', page), 'utf8')).toContain(`## ${title}\n`);
		}
	},
);
