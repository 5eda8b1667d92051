import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../../n8n/folders.ts';
import { activity, isAtRest } from './at-rest.ts';
import { KEY, ManualClock, call, cleanUp, start, until } from './harness.ts';

afterEach(cleanUp);

const raw = async (url: string, init: RequestInit = {}) => {
	const response = await fetch(url, { redirect: 'manual', ...init });
	return { status: response.status, headers: response.headers, text: await response.text() };
};

it('leaves its store alone while nobody uses it, but for a look once a day', async () => {
	const clock = new ManualClock();
	// Nothing is to be polled, as nothing is watched.
	const env = { SERVICE_URL: 'http://127.0.0.1:9', SERVICE_TOKEN: 'token' };
	const receiver = await start({ env, dependencies: { clock } });
	await receiver.emit({ event: 'aes_sent' });
	/** In how many of these half hours it asked its store. */
	const looks = async (hours: number) => {
		let count = 0;
		for (let minutes = 0; minutes < hours * 60; minutes += 30) {
			const before = activity();
			clock.advance(30 * 60_000);
			await until(isAtRest, 'it is at rest');
			count += Number(activity() > before);
		}
		return count;
	};
	expect(await looks(3)).toBeGreaterThan(1);
	expect(await looks(20)).toBe(0);
	await receiver.emit({ event: 'aes_opened' });
	expect(await looks(3)).toBeGreaterThan(1);
	// At what needs a person, and at what has expired.
	const looked = await looks(25);
	expect(looked).toBeGreaterThanOrEqual(1);
	expect(looked).toBeLessThanOrEqual(2);
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
	await receiver.pull({ leaving: true }, { key: other });
	// It looks a second time, since there is room now.
	void receiver.pulled({ settle, openMs: 25_000 }).catch(() => undefined);
	await receiver.atRest();
	clock.advance(4_000);
	const metrics = async () => (await raw(`${receiver.url}/metrics`)).text;
	await until(async () => (await metrics()).includes('receiver_pulls_open 1\n'), 'one is held');
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
	// Who is forgotten has no figures left, and the other keeps them.
	await receiver.manage('DELETE', `/consumers/${other}`);
	clock.advance(1_000);
	const later = await metrics();
	expect(later).not.toContain(other);
	expect(later).toContain(`receiver_consumer_dead{consumer="${KEY}"} 1\n`);
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

it.each(['/letters/%00', '/waits/a%00b', '/events?before=%00', '/%00'])(
	'answers %s with 400 rather than asking a database that has no such character',
	async (path) => {
		const receiver = await start();
		const { status } = await raw(`${receiver.url}${path}`);
		expect(status).toBe(400);
	},
);
