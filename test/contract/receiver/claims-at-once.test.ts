// Send Once Key under concurrency: many claimants, several receivers, crashes.
import * as fc from 'fast-check';
import type { Claim, KeyedChange } from '../../../webhook-receiver/src/core/claim-contract.ts';
import { tenfoldAtNight } from '../../support/ring.ts';
import { ME, YOU, claimClient, claiming } from './claim-client.ts';
import { ClaimModel, HOLDERS, Witness, steps } from './claim-model.ts';
import { ManualClock, cleanUp, start, temporaryFolder } from './harness.ts';
import { query } from './postgres-server.ts';
import { startProcess } from './process.ts';
import { Restartable } from './restartable.ts';
import { STORES, freshDatabase } from './store-environment.ts';

jest.setTimeout(180_000);

afterEach(cleanUp);

describe.each(STORES)('claims, in $name', (kind) => {
	it('does what the model says, over restarts, and nothing that must never be', async () => {
		const place = await Restartable.on(kind);
		let run = 0;
		await fc.assert(
			fc.asyncProperty(steps, async (all) => {
				const [model, witness] = [new ClaimModel(), new Witness()];
				const own = (key: string) => `${run}-${key}`;
				run++;
				for (const step of all) {
					if (step.kind === 'pass') place.clock.advance(step.seconds * 1000);
					if (step.kind === 'restart' && run % 10 === 0) await place.restart();
					if (step.kind === 'free') {
						for (const known of [model, witness]) known.free(own(step.key));
						await place.receiver.manage('DELETE', `/claims/${own(step.key)}`);
					}
					if (step.kind !== 'change') continue;
					const changes = step.changes.map((change) => ({ ...change, key: own(change.key) }));
					const told = await claimClient(place.receiver).all(changes);
					const now = place.clock.now();
					for (const [index, change] of changes.entries()) {
						witness.saw(change, told[index], now);
						expect(told[index]).toMatchObject(model.change(change, now));
					}
				}
			}),
			{ numRuns: 2 * kind.runs },
		);
	});

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
	it.each([
		['that nobody knows', 0],
		['that is unknown and that all would take over', 200],
	])('have one winner for each key %s, whatever the order', async (_, known) => {
		const url = await freshDatabase();
		const both = await Promise.all([0, 1].map(() => start({ env: { DATABASE_URL: url } })));
		const keys = Array.from({ length: 200 }, (__, n) => `key-${n}`);
		for (const key of keys.slice(0, known)) await claimClient(both[0]).unknown(ME, key);
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

	it('never have two send at once, nor lose a claim, whoever settles, releases or goes silent', async () => {
		const url = await freshDatabase();
		const clock = new ManualClock();
		const options = { env: { DATABASE_URL: url }, dependencies: { clock } };
		const asks = (await Promise.all([0, 1].map(() => start(options)))).map(claimClient);
		const keys = ['k1', 'k2', 'k3', 'k4'];
		// What a holder does with each key it won.
		const deed = fc.constantFrom('sent', 'unknown', 'free', 'nothing');
		const move = fc.record({
			asked: fc.subarray(keys, { minLength: 1 }),
			take: fc.boolean(),
			deed,
		});
		const round = fc.record({
			moves: fc.tuple(...HOLDERS.map(() => move)),
			seconds: fc.integer({ min: 0, max: 90 }),
		});
		let run = 0;
		await fc.assert(
			fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 6 }), async (rounds) => {
				const witness = new Witness();
				run++;
				/** Concurrently, each at one of the receivers. */
				const together = async (changes: KeyedChange[][]) =>
					Promise.all(
						changes.map(async (asked, n) => {
							if (asked.length === 0) return [];
							const told = await asks[n % 2].all(asked);
							const now = clock.now();
							for (const [index, claim] of told.entries()) witness.saw(asked[index], claim, now);
							return told;
						}),
					);
				for (const { moves, seconds } of rounds) {
					const told = await together(
						moves.map(({ asked, take }, n) =>
							asked.map((key) => claiming(`${run}-${key}`, HOLDERS[n], { takeUnknown: take })),
						),
					);
					await together(
						told.map((claims, n) => {
							const { deed: state } = moves[n];
							if (state === 'nothing') return [];
							return claims
								.filter((claim) => claim.state === 'leaving' && claim.mine)
								.map(({ key }) => ({
									key,
									state,
									holder: HOLDERS[n],
									...(state === 'sent' && { answer: { by: n } }),
									...(state === 'unknown' && { reason: 'cut off' }),
								})) as KeyedChange[];
						}),
					);
					clock.advance(seconds * 1000);
				}
			}),
			{ numRuns: tenfoldAtNight(20) },
		);
	});
});

function chunks<T>(all: readonly T[], size: number): T[][] {
	const count = Math.ceil(all.length / size);
	return Array.from({ length: count }, (_, n) => all.slice(n * size, (n + 1) * size));
}
