import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { openSqlite } from '../../../webhook-receiver/src/operation/store.ts';
import { root } from '../../n8n/folders.ts';
import { KEY, ManualClock, call, cleanUp, start, temporaryFolder, until } from './harness.ts';

afterEach(cleanUp);

const raw = async (url: string, init: RequestInit = {}) => {
	const response = await fetch(url, { redirect: 'manual', ...init });
	return { status: response.status, headers: response.headers, text: await response.text() };
};

it('leaves its store alone while nobody uses it, but for a look once a day', async () => {
	const clock = new ManualClock();
	// Nothing is to be polled, as nothing is watched.
	const env = { SERVICE_URL: 'http://127.0.0.1:9', SERVICE_TOKEN: 'token' };
	const store = openSqlite(join(temporaryFolder(), 'receiver.sqlite'));
	const spies = [
		jest.spyOn(store.attention, 'tell'),
		jest.spyOn(store, 'clean'),
		jest.spyOn(store.waits, 'gather'),
		jest.spyOn(store.watching, 'lease'),
	];
	const looks = () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
	const receiver = await start({ env, dependencies: { clock, store } });
	await receiver.emit({ event: 'aes_sent' });
	const pass = async (hours: number) => {
		for (let minutes = 0; minutes < hours * 60; minutes += 30) {
			clock.advance(30 * 60_000);
			await receiver.atRest();
		}
	};
	await pass(3);
	const before = looks();
	expect(before).toBeGreaterThan(4);
	await pass(20);
	expect(looks()).toBe(before);
	await receiver.emit({ event: 'aes_opened' });
	await until(() => looks() > before, 'it looks after things again');
	await pass(3);
	const again = looks();
	await pass(25);
	expect(looks()).toBe(again + 2);
}, 60_000);

it('tells Prometheus what arrived, what n8n got, and how old the oldest waiting one is', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const other = 'n8n~other';
	await receiver.pull();
	await receiver.pull({ wants: { events: ['tracked_mail.sent'] } }, { key: other });
	await receiver.emit([
		{ id: 'e1', event: 'aes_sent' },
		{ id: 'e2', event: 'aes_opened' },
	]);
	await receiver.emit({ id: 'e1', event: 'aes_sent' });
	await call(`${receiver.url}/events`, { method: 'POST', body: '{}' });
	const { batches } = await receiver.pulled({ atOnce: 2 });
	const outcomes = ['ack', 'term'] as const;
	const settle = batches.map(({ id }, n) => ({ batch: id, outcome: outcomes[n] }));
	await receiver.pulled({ settle });
	await receiver.pull({ leaving: true }, { key: other });
	void receiver.pulled({ holdMs: 25_000 }).catch(() => undefined);
	clock.advance(4_000);
	const metrics = async () => (await raw(`${receiver.url}/metrics`)).text;
	await until(async () => (await metrics()).includes('receiver_pulls_held 1\n'), 'one is held');
	const { text, headers } = await raw(`${receiver.url}/metrics`);
	expect(headers.get('content-type')).toContain('text/plain');
	for (const line of [
		'receiver_events_total{outcome="accepted"} 2',
		'receiver_events_total{outcome="duplicate"} 1',
		'receiver_events_total{outcome="refused"} 1',
		'receiver_batches_total{outcome="handed-out"} 2',
		'receiver_batches_total{outcome="ack"} 1',
		'receiver_batches_total{outcome="dead"} 1',
		`receiver_consumer_behind{consumer="${other}"} 2`,
		`receiver_consumer_in_hand{consumer="${KEY}"} 0`,
		`receiver_consumer_dead{consumer="${KEY}"} 1`,
		`receiver_consumer_held{consumer="${KEY}"} 1`,
		`receiver_consumer_held{consumer="${other}"} 0`,
		'receiver_oldest_waiting_seconds 4',
	]) {
		expect(text).toContain(`${line}\n`);
	}
	expect(text).toMatch(/^receiver_store_used_bytes [1-9]\d+$/m);
	expect(text).toMatch(/^receiver_store_free_bytes [1-9]\d+$/m);
});

it('the health check of the image finds it at its own address, and never by way of a proxy', async () => {
	const { url } = await start({ env: { HOST: '127.0.0.5' } });
	const check = (env: Record<string, string>) =>
		promisify(execFile)(process.execPath, [join(root, 'webhook-receiver/src/check-health.ts')], {
			env: {
				PORT: new URL(url).port,
				HOST: '127.0.0.5',
				...env,
				// Nobody listens there.
				NODE_USE_ENV_PROXY: '1',
				HTTP_PROXY: 'http://127.0.0.1:9',
			},
		});
	await check({});
	await expect(check({ HOST: '0.0.0.0' })).rejects.toThrow();
});

it('while it is about to stop it is not ready, and still takes events', async () => {
	const receiver = await start({ env: { STOP_DELAY: '2s' } });
	const closed = receiver.close();
	const ready = await raw(`${receiver.url}/readyz`);
	expect(ready).toMatchObject({ status: 503 });
	expect((await receiver.emit({ event: 'aes_sent' })).status).toBe(200);
	await closed;
	await expect(raw(`${receiver.url}/healthz`)).rejects.toThrow();
	const again = await start({ folder: receiver.folder });
	expect(await again.events()).toHaveLength(1);
});

it.each(['/messages/%00', '/waits/a%00b', '/events?before=%00', '/%00'])(
	'answers %s with 400 rather than asking a database that has no such character',
	async (path) => {
		const receiver = await start();
		const { status } = await raw(`${receiver.url}${path}`);
		expect(status).toBe(400);
	},
);
