// Send Once Key under concurrency: many claimants, several receivers, crashes.
import pg from 'pg';
import type { Claim } from '../../../webhook-receiver/src/core/claim-contract.ts';
import { ME, YOU, claimClient, claiming } from './claim-client.ts';
import { ManualClock, cleanUp, later, start, temporaryFolder, until } from './harness.ts';
import { query } from './postgres-server.ts';
import { startProcess } from './process.ts';
import { STORES, freshDatabase } from './store-environment.ts';

jest.setTimeout(180_000);
afterEach(cleanUp);

describe.each(STORES)('claims, in $name', (kind) => {
	it('killed in mid-claim, holds what it answered, and gives the rest to who asks again', async () => {
		const folder = temporaryFolder();
		const env = await kind.environment();
		const answered = new Set<string>();
		const lost = new Set<string>();
		const long = { leaseSeconds: 86_400 };
		for (let round = 0; round < 3; round++) {
			const one = await startProcess(folder, env);
			let claimed = 0;
			const lane = async (lane: number) => {
				for (let n = 0; ; n++) {
					const keys = Array.from({ length: 5 }, (_, m) => `k-${round}-${lane}-${n}-${m}`);
					const claims = keys.map((key) => claiming(key, ME, long));
					const answer = await one.manage('PUT', '/claims', { claims }).catch(() => null);
					for (const key of keys) (answer?.status === 200 ? answered : lost).add(key);
					if (answer === null) return;
					claimed += keys.length;
					if (claimed > 500) one.child.kill('SIGKILL');
				}
			};
			await Promise.all(Array.from({ length: 8 }, (_, n) => lane(n)));
			await one.exited;
		}
		expect(lost.size).toBeGreaterThan(0);
		const ask = claimClient(await startProcess(folder, env));
		const told = async (keys: Iterable<string>, holder: string) => {
			const all: Claim[] = [];
			for (const some of chunks([...keys], 500)) {
				all.push(...(await ask.all(some.map((key) => claiming(key, holder, long)))));
			}
			return new Set(all.map(({ state, mine }) => `${state} ${mine}`));
		};
		expect(await told(answered, YOU)).toEqual(new Set(['leaving false']));
		expect(await told(answered, ME)).toEqual(new Set(['leaving true']));
		expect(await told(lost, ME)).toEqual(new Set(['leaving true']));
		expect(await told(lost, YOU)).toEqual(new Set(['leaving false']));
	});
});

describe('several receivers on one PostgreSQL', () => {
	type Ask = ReturnType<typeof claimClient>;
	it.each<[string, (ask: Ask, key: string) => Promise<unknown>]>([
		['that nobody knows', async () => undefined],
		['that is unknown and that all would take over', (ask, key) => ask.unknown(ME, key)],
		['whose holder went silent and that all would take over', (ask, key) => ask.claim(ME, key)],
		[
			'that its holder has freed',
			async (ask, key) => {
				await ask.claim(ME, key);
				await ask.free(ME, key);
			},
		],
	])('have one winner for each key %s, whatever the order', async (_, before) => {
		const url = await freshDatabase();
		const clock = new ManualClock();
		const options = { env: { DATABASE_URL: url }, dependencies: { clock } };
		const both = await Promise.all([0, 1].map(() => start(options)));
		const keys = Array.from({ length: 200 }, (__, n) => `key-${n}`);
		for (const key of keys) await before(claimClient(both[0]), key);
		// Past the lease.
		clock.advance(61_000);
		const asking = Array.from({ length: 50 }, async (_, asker) => {
			const holder = `asker-0000000000-${asker}`;
			const ask = claimClient(both[asker % 2]);
			// Each in its own order and chunk size, so that the requests overlap.
			const order = keys.map((_key, n) => keys[(n * 7 + asker * 31) % keys.length]);
			const parts = chunks(order, 10 + asker);
			const told = parts.map((part) =>
				ask.all(part.map((key) => claiming(key, holder, { takeUnknown: true }))),
			);
			return (await Promise.all(told)).flat();
		});
		const claims = (await Promise.all(asking)).flat();
		expect(claims).toHaveLength(50 * keys.length);
		const won = claims.filter(({ mine }) => mine).map(({ key }) => key);
		expect(won.sort()).toEqual([...keys].sort());
		expect(claims.every(({ state }) => state === 'leaving')).toBe(true);
		const [{ deadlocks }] = await query(
			url,
			'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
		);
		expect(deadlocks).toBe(0);
	});

	it('that take over an unknown key at the same moment decide one after the other', async () => {
		const url = await freshDatabase();
		const options = { env: { DATABASE_URL: url } };
		const both = (await Promise.all([0, 1].map(() => start(options)))).map(claimClient);
		await both[0].unknown(ME, 'key');
		const client = new pg.Client({ connectionString: url });
		await client.connect();
		later(() => client.end());
		await client.query(
			"BEGIN; SELECT FROM registered_delivery.key_claims WHERE key = 'key' FOR UPDATE",
		);
		const claims = both.map((ask, n) =>
			ask.claim(`asker-0000000000-${n}`, 'key', { takeUnknown: true }),
		);
		// Who reads the key without its lock has decided by then.
		await until(async () => {
			const [{ waiting }] = await query(
				url,
				`SELECT count(*)::int AS waiting FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`,
			);
			return waiting === 2;
		}, 'both wait');
		await client.query('COMMIT');
		expect((await Promise.all(claims)).map(({ mine }) => mine).sort()).toEqual([false, true]);
	});
});

function chunks<T>(all: readonly T[], size: number): T[][] {
	const count = Math.ceil(all.length / size);
	return Array.from({ length: count }, (_, n) => all.slice(n * size, (n + 1) * size));
}
