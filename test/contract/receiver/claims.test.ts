// Send Once Key (design § 5): who may send under a key, over both stores. Time is moved by hand.
import { join } from 'node:path';
import * as fc from 'fast-check';
import {
	claimSchema,
	claimsAnswerSchema,
} from '../../../webhook-receiver/src/claim/claim-contract.ts';
import type { Claim, KeyedChange } from '../../../webhook-receiver/src/claim/claim-contract.ts';
import { PostgresStore } from '../../../webhook-receiver/src/store/postgres.ts';
import { SqliteStore } from '../../../webhook-receiver/src/store/sqlite.ts';
import type { Store } from '../../../webhook-receiver/src/store/store.ts';
import { ClaimModel, HOLDERS, Witness, steps } from './claim-model.ts';
import { ManualClock, cleanUp, later, start, temporaryFolder, until } from './harness.ts';
import { query, startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { startProcess } from './process.ts';

jest.setTimeout(180_000);

const ME = 'me-0000000000000';
const YOU = 'you-000000000000';

let postgres: PostgresServer;
beforeAll(async () => {
	postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());
afterEach(cleanUp);

type Manage = Awaited<ReturnType<typeof start>>['manage'];

/** What a run of the node asks and is answered; each answer is checked against the contract. */
function client({ manage }: { manage: Manage }) {
	const put = async (key: string, change: object): Promise<Claim> => {
		const { status, body } = await manage('PUT', `/claims/${key}`, change);
		expect(status).toBe(200);
		return claimSchema.strict().parse(body);
	};
	return {
		put,
		claim: (holder: string, key = 'k', more: object = {}) =>
			put(key, { state: 'leaving', holder, leaseSeconds: 60, ...more }),
		sent: (holder: string, key = 'k', answer: object = { id: '1' }) =>
			put(key, { state: 'sent', holder, answer }),
		unknown: (holder: string, key = 'k', reason = 'cut off') =>
			put(key, { state: 'unknown', holder, reason }),
		free: (holder: string, key = 'k') => put(key, { state: 'free', holder }),
		get: async (key = 'k') => (await manage('GET', `/claims/${key}`)).body,
		list: async (search = '') => {
			const { status, body } = await manage('GET', `/claims${search}`);
			expect(status).toBe(200);
			return body as unknown as { data: Claim[]; next: number | null };
		},
		all: async (claims: object[]): Promise<Claim[]> => {
			const { status, body } = await manage('PUT', '/claims', { claims });
			expect(status).toBe(200);
			return claimsAnswerSchema.parse(body).claims;
		},
	};
}

const claiming = (key: string, holder: string, more: object = {}) => ({
	...{ key, state: 'leaving' as const, holder, leaseSeconds: 60, takeUnknown: false, ...more },
});

describe.each(['sqlite', 'postgres'] as const)('claims, in %s', (kind) => {
	let env: Record<string, string>;
	let folder: string;
	let clock: ManualClock;
	beforeEach(async () => {
		clock = new ManualClock();
		folder = temporaryFolder();
		env = kind === 'sqlite' ? {} : { DATABASE_URL: await postgres.freshDatabase() };
	});
	const receiver = () => start({ folder, env, dependencies: { clock } });
	const inSeconds = (seconds: number) => new Date(clock.now() + seconds * 1000).toISOString();

	it('gives a key to whoever asks first, and again when they ask again', async () => {
		const ask = client(await receiver());
		const mine = await ask.claim(ME, 'k', { name: 'invoice 7' });
		expect(mine).toEqual({
			...{ key: 'k', state: 'leaving', mine: true, name: 'invoice 7', answer: null, reason: null },
			...{ leaseUntil: inSeconds(60), updatedAt: inSeconds(0) },
		});
		clock.advance(30_000);
		expect(await ask.claim(YOU)).toEqual({ ...mine, mine: false });
		expect(await ask.claim(YOU, 'k', { takeUnknown: true })).toEqual({ ...mine, mine: false });
		const again = { ...mine, leaseUntil: inSeconds(60), updatedAt: inSeconds(0) };
		expect(await ask.claim(ME)).toEqual(again);
		clock.advance(70_000);
		// Late, but nobody took it meanwhile.
		expect(await ask.claim(ME)).toMatchObject({ state: 'leaving', leaseUntil: inSeconds(60) });
	});

	it('gives what was sent to every later asker, and keeps it', async () => {
		const ask = client(await receiver());
		await ask.claim(ME, 'k', { name: 'invoice 7' });
		const answer = { id: '000000000001', odd: '\u0000 é 😀', nested: [{ a: null }] };
		const sent = await ask.sent(ME, 'k', answer);
		expect(sent).toMatchObject({ state: 'sent', mine: true, name: 'invoice 7', answer });
		expect(sent).toMatchObject({ leaseUntil: null, updatedAt: inSeconds(0) });
		clock.advance(366 * 86_400_000);
		for (const last of [
			await ask.claim(YOU, 'k', { takeUnknown: true }),
			await ask.sent(YOU, 'k', { id: '2' }),
			await ask.unknown(YOU),
			await ask.free(YOU),
		]) {
			expect(last).toEqual({ ...sent, mine: false });
		}
		for (const last of [
			await ask.claim(ME, 'k', { takeUnknown: true }),
			await ask.sent(ME, 'k', { id: '2' }),
			await ask.unknown(ME),
			await ask.free(ME),
		]) {
			expect(last).toEqual(sent);
		}
	});

	it('calls a claim unknown whose lease has passed, until its holder speaks', async () => {
		const ask = client(await receiver());
		await ask.claim(ME);
		clock.advance(60_000);
		const silent = await ask.claim(YOU);
		expect(silent).toMatchObject({ state: 'unknown', mine: false, leaseUntil: null });
		expect(silent.reason).toMatch(/never said what became of it/);
		expect(await ask.get()).toEqual(silent);
		expect(await ask.sent(ME)).toMatchObject({ state: 'sent', mine: true });
		expect(await ask.claim(YOU)).toMatchObject({ state: 'sent', answer: { id: '1' } });
	});

	it('gives what is unknown only to who takes it knowingly', async () => {
		const ask = client(await receiver());
		await ask.claim(ME);
		expect(await ask.unknown(ME)).toMatchObject({
			state: 'unknown',
			mine: true,
			reason: 'cut off',
		});
		expect(await ask.claim(ME)).toMatchObject({ state: 'unknown', mine: true });
		expect(await ask.claim(YOU)).toMatchObject({
			state: 'unknown',
			mine: false,
			reason: 'cut off',
		});
		const taken = await ask.claim(YOU, 'k', { takeUnknown: true });
		expect(taken).toMatchObject({ state: 'leaving', mine: true, reason: null });
		// Too late: another one is sending.
		expect(await ask.sent(ME)).toMatchObject({ state: 'leaving', mine: false, answer: null });
		expect(await ask.unknown(ME)).toMatchObject({ state: 'leaving', mine: false });
		expect(await ask.sent(YOU)).toMatchObject({ state: 'sent', mine: true });

		await ask.claim(ME, 'lapsed');
		clock.advance(60_000);
		const lapsed = await ask.claim(YOU, 'lapsed', { takeUnknown: true });
		expect(lapsed).toMatchObject({ state: 'leaving', mine: true, leaseUntil: inSeconds(60) });
	});

	it('frees a key when its holder surely did not send, and only then', async () => {
		const ask = client(await receiver());
		const nothing = { name: null, answer: null, reason: null, leaseUntil: null, updatedAt: null };
		const free = { key: 'k', state: 'free', mine: false, ...nothing };
		expect(await ask.free(ME)).toEqual(free);
		await ask.claim(ME);
		expect(await ask.free(YOU)).toMatchObject({ state: 'leaving', mine: false });
		expect(await ask.free(ME)).toEqual(free);
		expect(await ask.claim(YOU)).toMatchObject({ state: 'leaving', mine: true });
		await ask.unknown(YOU);
		expect(await ask.free(YOU)).toMatchObject({ state: 'unknown', mine: true });
		// Whoever takes it over and does not send leaves it as it was: the first one may have sent.
		await ask.claim(ME, 'k', { takeUnknown: true });
		expect(await ask.free(ME)).toMatchObject({ state: 'unknown', reason: 'cut off' });
		expect(await ask.claim(YOU)).toMatchObject({ state: 'unknown', mine: false });
		expect(await ask.claim(ME, 'k', { takeUnknown: true })).toMatchObject({ mine: true });
	});

	it('writes down what was sent, or may have been, also when the database was lost', async () => {
		const ask = client(await receiver());
		expect(await ask.sent(ME, 'k')).toMatchObject({ state: 'sent', mine: true, name: null });
		expect(await ask.unknown(ME, 'l')).toMatchObject({ state: 'unknown', reason: 'cut off' });
		expect(await ask.claim(YOU, 'k')).toMatchObject({ state: 'sent', mine: false });
		expect(await ask.claim(YOU, 'l')).toMatchObject({ state: 'unknown', mine: false });
	});

	it('changes many at once, each by itself, and answers in their order', async () => {
		const ask = client(await receiver());
		await ask.sent(YOU, 'b');
		await ask.claim(YOU, 'c');
		const claims = await ask.all([
			claiming('d', ME),
			{ key: 'c', state: 'free', holder: YOU },
			claiming('b', ME),
			{ key: 'a', state: 'unknown', holder: ME, reason: 'cut off' },
		]);
		expect(claims.map(({ key, state, mine }) => [key, state, mine])).toEqual([
			['d', 'leaving', true],
			['c', 'free', false],
			['b', 'sent', false],
			['a', 'unknown', true],
		]);
		const many = Array.from({ length: 1000 }, (_, n) => claiming(`many-${n}`, ME));
		expect((await ask.all(many)).every(({ state, mine }) => state === 'leaving' && mine)).toBe(
			true,
		);
	});

	it('keeps what no database likes in a name or reason readable', async () => {
		const ask = client(await receiver());
		expect(await ask.claim(ME, 'k', { name: 'a\u0000\ud800é😀' })).toMatchObject({
			name: 'a��é😀',
		});
		expect(await ask.unknown(ME, 'k', 'b\u0000')).toMatchObject({ reason: 'b�', name: 'a��é😀' });
	});

	it('survives a restart', async () => {
		const first = await receiver();
		await client(first).claim(ME);
		const sent = await client(first).sent(ME, 'sent');
		await first.close();
		const ask = client(await receiver());
		expect(await ask.claim(YOU)).toMatchObject({ state: 'leaving', mine: false });
		expect(await ask.claim(ME)).toMatchObject({ state: 'leaving', mine: true });
		expect(await ask.claim(YOU, 'sent')).toEqual({ ...sent, mine: false });
	});

	it('shows operators what is on record, newest first, page by page', async () => {
		const ask = client(await receiver());
		for (let n = 1; n <= 5; n++) await ask.claim(ME, `k${n}`, { name: `invoice ${n % 2}` });
		await ask.sent(ME, 'k2');
		await ask.unknown(ME, 'k3');
		await ask.claim(ME, 'k5', { leaseSeconds: 1 });
		clock.advance(1_000);
		const keys = async (search: string) => (await ask.list(search)).data.map(({ key }) => key);
		expect(await keys('')).toEqual(['k5', 'k4', 'k3', 'k2', 'k1']);
		expect(await keys('?state=leaving')).toEqual(['k4', 'k1']);
		// As it is told: the lease of k5 has passed.
		expect(await keys('?state=unknown')).toEqual(['k5', 'k3']);
		expect(await keys('?state=sent')).toEqual(['k2']);
		expect(await keys('?name=invoice%201')).toEqual(['k5', 'k3', 'k1']);
		expect(await keys('?name=invoice%201&state=leaving')).toEqual(['k1']);
		expect(await keys('?name=invoice')).toEqual([]);
		const { data, next } = await ask.list('?limit=2');
		expect(data.map(({ key }) => key)).toEqual(['k5', 'k4']);
		expect(await keys(`?limit=2&before=${next}`)).toEqual(['k3', 'k2']);
		const everything = JSON.stringify([await ask.list(), await ask.get('k2')]);
		expect(everything).not.toContain(ME);
	});

	it('lets operators free a key, whatever is known of it', async () => {
		const one = await receiver();
		const ask = client(one);
		await ask.sent(ME);
		for (let n = 0; n < 2; n++) {
			expect(await one.manage('DELETE', '/claims/k')).toMatchObject({ status: 204 });
		}
		const gone = await one.manage('GET', '/claims/k');
		expect(gone).toMatchObject({ status: 404, body: { code: 'claim-not-found' } });
		expect(await ask.claim(YOU)).toMatchObject({ state: 'leaving', mine: true });
	});

	it('keeps claims while the rest is cleaned up', async () => {
		env = { ...env, RETENTION: '2d' };
		const one = await receiver();
		const ask = client(one);
		await one.emit({ event: 'aes_sent', id: 'e1' });
		await ask.sent(ME);
		clock.advance(3 * 86_400_000);
		const events = async () => (await one.manage('GET', '/events')).body.data as object[];
		await until(async () => (await events()).length === 0, 'the event is cleaned');
		expect(await ask.claim(YOU)).toMatchObject({ state: 'sent' });
	});

	it('does what the model says, over restarts, and nothing that must never be', async () => {
		const file = join(temporaryFolder(), 'receiver.sqlite');
		const url = env.DATABASE_URL;
		const options = { leaseSeconds: 30, onError: () => undefined };
		const open = async (): Promise<Store> =>
			kind === 'sqlite' ? new SqliteStore(file) : PostgresStore.open(url, options);
		let store = await open();
		later(() => store.close());
		let run = 0;
		await fc.assert(
			fc.asyncProperty(steps, async (all) => {
				const [model, witness] = [new ClaimModel(), new Witness()];
				const own = (key: string) => `${run}-${key}`;
				let now = clock.now();
				run++;
				for (const step of all) {
					if (step.kind === 'pass') now += step.seconds * 1000;
					if (step.kind === 'restart' && run % 10 === 0) {
						await store.close();
						store = await open();
					}
					if (step.kind === 'free') {
						for (const known of [model, witness]) known.free(own(step.key));
						await store.claims.remove(own(step.key));
					}
					if (step.kind !== 'change') continue;
					const changes = step.changes.map((change) => ({ ...change, key: own(change.key) }));
					const told = await store.claims.change(changes, now);
					for (const [index, change] of changes.entries()) {
						witness.saw(change, told[index], now);
						expect(told[index]).toMatchObject(model.change(change, now));
					}
				}
			}),
			{ numRuns: 100 },
		);
	});

	it('killed in mid-claim, holds what it answered, and gives the rest to who asks again', async () => {
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
		const ask = client(await startProcess(folder, env));
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

function chunks<T>(all: readonly T[], size: number): T[][] {
	const count = Math.ceil(all.length / size);
	return Array.from({ length: count }, (_, n) => all.slice(n * size, (n + 1) * size));
}

describe('several receivers on one PostgreSQL', () => {
	it.each([
		['that nobody knows', 0],
		['that is unknown and that all would take over', 200],
	])('have one winner for each key %s, whatever the order', async (_, known) => {
		const url = await postgres.freshDatabase();
		const both = await Promise.all([0, 1].map(() => start({ env: { DATABASE_URL: url } })));
		const keys = Array.from({ length: 200 }, (__, n) => `key-${n}`);
		for (const key of keys.slice(0, known)) await client(both[0]).unknown(ME, key);
		const asking = Array.from({ length: 50 }, async (_, asker) => {
			const holder = `asker-0000000000-${asker}`;
			const ask = client(both[asker % 2]);
			// Each its own order, in parts of its own size, so that the requests overlap.
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
		const url = await postgres.freshDatabase();
		const options = { leaseSeconds: 30, onError: () => undefined };
		const stores = await Promise.all([0, 1].map(() => PostgresStore.open(url, options)));
		later(async () => {
			await Promise.all(stores.map((store) => store.close()));
		});
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
				let now = Date.UTC(2026, 0, 31);
				run++;
				/** All at once, each at one of the receivers; `null` for who has nothing to say. */
				const together = async (changes: KeyedChange[][]) =>
					Promise.all(
						changes.map(async (asked, n) => {
							if (asked.length === 0) return [];
							const told = await stores[n % 2].claims.change(asked, now);
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
									...{ key, state, holder: HOLDERS[n] },
									...(state === 'sent' && { answer: { by: n } }),
									...(state === 'unknown' && { reason: 'cut off' }),
								})) as KeyedChange[];
						}),
					);
					now += seconds * 1000;
				}
			}),
			{ numRuns: 100 },
		);
	});
});

describe('what is asked', () => {
	const change = { state: 'leaving', holder: ME, leaseSeconds: 60 };
	const big = { text: 'x'.repeat(256 * 1024) };

	it.each<[string, string, unknown]>([
		['state', 'an unknown state', { ...change, state: 'gone' }],
		['state', 'no state', {}],
		['state', 'no body', undefined],
		['body', 'a list', [change]],
		['holder', 'a holder that could be guessed', { ...change, holder: 'short' }],
		['holder', 'no holder', { state: 'free' }],
		['leaseSeconds', 'no time', { ...change, leaseSeconds: 0 }],
		['leaseSeconds', 'more than a day', { ...change, leaseSeconds: 86_401 }],
		['leaseSeconds', 'part of a second', { ...change, leaseSeconds: 1.5 }],
		['name', 'a long name', { ...change, name: 'x'.repeat(501) }],
		['takeUnknown', 'a text for a boolean', { ...change, takeUnknown: 'true' }],
		['more', 'something unknown', { ...change, more: 1 }],
		['key', 'a key beside the one in the path', { ...change, key: 'other' }],
		['answer', 'no answer', { state: 'sent', holder: ME }],
		['answer', 'a list as answer', { state: 'sent', holder: ME, answer: [] }],
		['answer', 'a large answer', { state: 'sent', holder: ME, answer: big }],
		['reason', 'no reason', { state: 'unknown', holder: ME }],
		['reason', 'a long reason', { state: 'unknown', holder: ME, reason: 'x'.repeat(1001) }],
	])('is refused and %s named: %s', async (field, _, body) => {
		const receiver = await start();
		const answer = await receiver.manage('PUT', '/claims/k', body);
		expect(answer).toMatchObject({ status: 422, body: { code: 'invalid-claim' } });
		expect(answer.body.message).toContain(field);
		expect(JSON.stringify(answer.body)).not.toContain(ME);
		expect((await receiver.manage('GET', '/claims/k')).status).toBe(404);
	});

	it.each<[string, string, unknown]>([
		['claims', 'no claims', { claims: [] }],
		['claims', 'a key twice', { claims: [claiming('k', ME), claiming('k', YOU)] }],
		['claims', '1,001', { claims: Array.from({ length: 1001 }, (_, n) => claiming(`k${n}`, ME)) }],
		[
			'claims.1.key',
			'a key that a proxy could rewrite',
			{ claims: [claiming('k', ME), claiming('a/b', ME)] },
		],
		[
			'claims.1.leaseSeconds',
			'one of two',
			{ claims: [claiming('k', ME), claiming('l', ME, { leaseSeconds: 0 })] },
		],
	])('is refused as a whole and %s named: %s', async (field, _, body) => {
		const receiver = await start();
		const answer = await receiver.manage('PUT', '/claims', body);
		expect(answer).toMatchObject({ status: 422, body: { code: 'invalid-claim' } });
		expect(answer.body.message).toContain(`${field}: `);
		expect((await receiver.manage('GET', '/claims')).body.data).toEqual([]);
	});

	it('takes keys that no proxy rewrites, and no others', async () => {
		const receiver = await start();
		for (const key of ['k', 'A-z_0.9~', 'x'.repeat(200)]) {
			expect((await receiver.manage('PUT', `/claims/${key}`, change)).status).toBe(200);
		}
		for (const key of ['a%2Fb', 'a%20b', '%C3%A9', 'x'.repeat(201)]) {
			const answer = await receiver.manage('PUT', `/claims/${key}`, change);
			expect(answer).toMatchObject({ status: 422, body: { code: 'invalid-claim' } });
			expect(answer.body.message).toContain('key: ');
			expect((await receiver.manage('GET', `/claims/${key}`)).status).toBe(404);
		}
	});

	it.each(['?state=free', '?limit=0', '?limit=501', '?before=x'])(
		'is refused in a list: %s',
		async (search) => {
			const answer = await (await start()).manage('GET', `/claims${search}`);
			expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-query' } });
			expect(answer.body.message).toContain(/\w+/.exec(search)?.[0]);
		},
	);

	it('needs the management token', async () => {
		const receiver = await start();
		const all = [
			['PUT', '/claims', { claims: [claiming('k', ME)] }],
			['PUT', '/claims/k', change],
			['GET', '/claims'],
			['GET', '/claims/k'],
			['DELETE', '/claims/k'],
		] as const;
		for (const [method, path, body] of all) {
			expect((await receiver.manage(method, path, body, 'wrong-token')).status).toBe(401);
		}
		expect((await receiver.manage('GET', '/claims')).body.data).toEqual([]);
	});
});
