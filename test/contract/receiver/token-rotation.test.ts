// A management token is replaced without a gap (README, Replacing a token): consumers, sleepers and
// operators go on with the old one until it goes, and lose nothing when it does.
import type { Client } from './harness.ts';
import { KEY, call, cleanUp, signed, start, temporaryFolder, until } from './harness.ts';
import { HTTP_STORES } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const OLD = 'old-management-token';
const NEW = 'new-management-token';
const SLEEPER = 'sleeper~process';
const WAIT = 'wait-0000-0000-0001';

const PATHS = ['/consumers', '/deliveries', '/events', '/claims', '/watches'];

function roles({ manage, url }: Client & { url: string }) {
	const ask =
		(key: string, asked: object) =>
		(token: string, more: object = {}) =>
			manage(
				'POST',
				`/consumers/${key}/pull`,
				{ holder: 'holder-of-tests', holdMs: 0, ...asked, ...more },
				token,
			);
	return {
		/** Pulls events. */
		consumer: ask(KEY, { wants: { events: ['*'] } }),
		/** Pulls wake-ups. */
		sleeper: ask(SLEEPER, { wants: null }),
		register: (token: string) =>
			manage(
				'PUT',
				`/waits/${WAIT}`,
				{
					...{ instance: 'sleeper', resumeUrl: 'http://127.0.0.1:9/', trackedMailGoal: 'opened' },
					...{ secret: 'secret-of-this-wait-and-no-other-one' },
					messages: [{ messageId: '000000000001', messageType: 'AES' }],
					deadline: new Date(Date.now() + 3_600_000).toISOString(),
				},
				token,
			),
		others: async (token: string) => {
			const statuses = new Set<number>();
			for (const path of PATHS) {
				statuses.add((await manage('GET', path, undefined, token)).status);
			}
			return [...statuses];
		},
		async emit(id: string, event: string) {
			const body = JSON.stringify({ id, event, messageId: 1 });
			const headers = signed(body, Date.now());
			return (await call(`${url}/events`, { method: 'POST', headers, body })).status;
		},
	};
}

describe.each(HTTP_STORES)('on $name', (kind) => {
	it('both are good while both are set; then the old one is refused, and nothing is lost', async () => {
		const folder = temporaryFolder();
		const env = await kind.environment();
		const run = (tokens: string) => start({ folder, env: { ...env, MANAGEMENT_TOKEN: tokens } });

		const before = await run(OLD);
		const first = roles(before);
		await first.consumer(OLD);
		expect((await first.register(OLD)).status).toBe(200);
		expect((await first.consumer(NEW)).status).toBe(401);
		expect(await first.emit('e1', 'aes_sent')).toBe(200);
		const { body: taken } = await first.consumer(OLD);
		const [batch] = taken.batches as Array<{ id: string }>;
		await before.close();

		const both = await run(`${OLD},${NEW}`);
		const second = roles(both);
		for (const token of [OLD, NEW]) {
			expect((await second.sleeper(token)).status).toBe(200);
			expect((await second.register(token)).status).toBe(200);
			expect(await second.others(token)).toEqual([200]);
		}
		// What was handed out to the old token is settled with the new one.
		const settle = [{ batch: batch?.id, outcome: 'ack' }];
		expect((await second.consumer(NEW, { settle })).status).toBe(200);
		expect((await both.manage('GET', '/deliveries?state=done', undefined, OLD)).body.data).toEqual([
			expect.objectContaining({ id: batch?.id }),
		]);
		const held = second.consumer(OLD, { holdMs: 25_000 });
		await until(async () => {
			const metrics = await (await fetch(`${both.url}/metrics`)).text();
			return metrics.includes('receiver_pulls_held 1\n');
		}, 'a pull is held');
		await both.close();
		// Answered, not cut off.
		expect((await held).status).toBe(200);

		const after = await run(NEW);
		const third = roles(after);
		expect(await third.emit('e2', 'aes_opened')).toBe(200);
		for (const refused of [await third.consumer(OLD), await third.sleeper(OLD)]) {
			expect(refused).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
		}
		expect(await third.others(OLD)).toEqual([401]);
		const { body } = await third.consumer(NEW);
		const batches = body.batches as Array<{ events: Array<{ raw: { id: string } }> }>;
		expect(batches.flatMap(({ events }) => events.map(({ raw }) => raw.id))).toEqual(['e2']);
		await until(async () => {
			const { wakeUps } = (await third.sleeper(NEW)).body as { wakeUps: object[] };
			return wakeUps.length === 1;
		}, 'the execution is woken');
	});
});
