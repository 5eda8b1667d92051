import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from '../../n8n/port.ts';
import { authority } from './certificates.ts';
import {
	HOLDER,
	ManualClock,
	call,
	cleanUp,
	consume,
	environment,
	recordedLog,
	start,
	temporaryFolder,
	until,
} from './harness.ts';
import { query } from './postgres-server.ts';
import { idsIn, killUnderLoad, startProcess } from './process.ts';
import { freshDatabase } from './store-environment.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

type Receiver = Awaited<ReturnType<typeof start>>;

afterEach(cleanUp);

it('kill -9 under load loses no acknowledged event and leaves a sound file', async () => {
	const folder = temporaryFolder();
	const acknowledged = await killUnderLoad(folder, 3);
	expect(acknowledged.size).toBeGreaterThan(30);

	const database = new DatabaseSync(join(folder, 'receiver.sqlite'));
	expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
	database.close();
	const receiver = await startProcess(folder);
	const ids = await idsIn(receiver);
	expect(new Set(ids).size).toBe(ids.length);
	expect([...acknowledged].filter((id) => !ids.includes(id))).toEqual([]);
	// The consumer from before the first kill gets each of them exactly once.
	const flow = await consume(receiver, { holder: HOLDER, atOnce: 100 });
	await until(() => flow.events().length >= ids.length, 'all are handed out');
	expect(
		flow
			.events()
			.map(({ raw }) => (raw as { id: string }).id)
			.sort(),
	).toEqual(ids.sort());
}, 120_000);

it('started by npm, it ends with npm and gives up its port and file', async () => {
	const folder = temporaryFolder();
	const port = String(await freePort());
	const { HOME, PATH } = process.env;
	const npm = spawn('npm', ['start', '--workspace', 'webhook-receiver'], {
		cwd: join(__dirname, '../../..'),
		env: { HOME, PATH, ...environment(folder, { PORT: port }) },
		stdio: 'ignore',
	});
	const answers = () =>
		fetch(`http://127.0.0.1:${port}/healthz`).then(
			({ ok }) => ok,
			() => false,
		);
	await until(answers, 'the receiver answers');
	npm.kill('SIGTERM');
	await until(async () => !(await answers()), 'nobody answers');
	const again = await startProcess(folder, { PORT: port });
	expect((await again.emit({ event: 'aes_sent' })).status).toBe(200);
});

it('a stop waits for no connection that was opened in advance and never used', async () => {
	const receiver = await start();
	const { hostname, port } = new URL(receiver.url);
	const socket = connect(Number(port), hostname);
	await once(socket, 'connect');
	await receiver.pull();
	const closed = once(socket, 'close');
	const started = Date.now();
	await receiver.close();
	await closed;
	// Node itself closes such a connection after 10 s.
	expect(Date.now() - started).toBeLessThan(9_000);
});

it('nor beyond STOP_TIMEOUT for one whose TLS handshake does not go on', async () => {
	const { certificate, key } = authority(temporaryFolder(), 'ours').issue('server');
	const env = { TLS_CERTIFICATE: certificate, TLS_KEY: key, STOP_TIMEOUT: '1s' };
	const receiver = await start({ env });
	const { hostname, port } = new URL(receiver.url);
	const socket = connect({ host: hostname, port: Number(port) });
	const closed = once(socket.resume(), 'close');
	socket.on('error', () => undefined);
	// The beginning of a ClientHello.
	socket.write(Buffer.from([22, 3, 1, 2, 0, 1]));
	await once(socket, 'connect');
	const started = Date.now();
	await receiver.close();
	await closed;
	expect(Date.now() - started).toBeLessThan(10_000);
});

it.each<[string, (receiver: Receiver, clock: ManualClock) => Promise<Receiver>]>([
	[
		'the clock was set forward',
		async (receiver, clock) => {
			clock.set(3 * DAY);
			clock.advance(10 * MINUTE);
			return receiver;
		},
	],
	[
		'the receiver was off for long',
		async (receiver, clock) => {
			await receiver.close();
			clock.set(3 * DAY);
			return start({ folder: receiver.folder, dependencies: { clock }, env: { RETENTION: '2d' } });
		},
	],
])('no workflow is gone because %s', async (_, happen) => {
	const clock = new ManualClock();
	const before = await start({ dependencies: { clock }, env: { RETENTION: '2d' } });
	for (const key of ['n8n~here', 'n8n~gone']) await before.pull({}, { key });
	await before.emit({ event: 'aes_sent' });
	await before.atRest();
	await untilAwayIsGone(await happen(before, clock), clock);
});

it('nor because the database was away for long', async () => {
	const clock = new ManualClock();
	const { logger, lines } = recordedLog();
	const url = await freshDatabase();
	const env = { DATABASE_URL: url, RETENTION: '2d' };
	const receiver = await start({ dependencies: { clock, logger }, env });
	for (const key of ['n8n~here', 'n8n~gone']) await receiver.pull({}, { key });
	await receiver.emit({ event: 'aes_sent' });
	await receiver.atRest();
	const name = new URL(url).pathname.slice(1);
	const letIn = (isOpen: boolean) =>
		query(
			Object.assign(new URL(url), { pathname: '/postgres' }).href,
			`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS ${isOpen};
			SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND NOT ${isOpen}`,
		);
	await letIn(false);
	clock.advance(3 * DAY);
	const isAway = (line: string) => line.includes('database connection failed');
	await until(() => lines.some(isAway), 'it has lost its database');
	await letIn(true);
	await until(async () => (await call(`${receiver.url}/readyz`, {})).status === 200, 'it is back');
	clock.advance(1_000);
	await untilAwayIsGone(receiver, clock);
});

/** Nobody is gone at once; who pulls is not ten minutes later, when who does not is. */
async function untilAwayIsGone(receiver: Receiver, clock: ManualClock): Promise<void> {
	await receiver.atRest();
	const keys = async () => (await receiver.consumers()).map(({ key }) => key).sort();
	expect(await keys()).toEqual(['n8n~gone', 'n8n~here']);
	expect((await receiver.pulled({}, { key: 'n8n~here' })).batches).toHaveLength(1);
	clock.advance(10 * MINUTE - 1);
	await until(async () => {
		clock.advance(MINUTE);
		return (await keys()).length === 1;
	}, 'who is away is gone');
	expect(await keys()).toEqual(['n8n~here']);
}
