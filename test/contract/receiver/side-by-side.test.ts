// Several receivers on one PostgreSQL, and what can go wrong between them and it.
import pg from 'pg';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { openPostgres } from '../../../webhook-receiver/src/operation/store.ts';
import { Database } from '../../../webhook-receiver/src/store/postgres/connect.ts';
import type { Store } from '../../../webhook-receiver/src/operation/store.ts';
import { StoreUnavailable } from '../../../webhook-receiver/src/store/engine.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import {
	ENCRYPTION_KEY,
	cleanUp as endProcesses,
	start,
	temporaryFolder,
	until,
} from './harness.ts';
import { holdCommits } from './held-commits.ts';
import { startProcess } from './process.ts';
import { freshDatabase } from './store-environment.ts';
import { EVERYTHING, arrival, pullOf } from './stores.ts';
import { Witness } from './witness.ts';

const MINUTE = 60_000;

/** postgres/engine.ts: transactions that append take turns by this lock. */
const TURN_LOCK = 7_306_252;

const cleanUps: Array<() => Promise<unknown>> = [];
afterEach(async () => {
	for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function open(url: string): Promise<Store> {
	const store = await openPostgres(url, [ENCRYPTION_KEY], () => undefined);
	cleanUps.push(() => store.close());
	return store;
}

async function stores(count: number) {
	const url = await freshDatabase();
	// Simultaneously, as an orchestrator starts them: their migrations must not collide.
	return { url, all: await Promise.all(Array.from({ length: count }, () => open(url))) };
}

async function client(url: string): Promise<pg.Client> {
	const one = new pg.Client({ connectionString: url });
	one.on('error', () => undefined);
	await one.connect();
	cleanUps.push(() => one.end());
	return one;
}

/** The database through a proxy. */
async function behindProxy(url: string): Promise<{ url: string; proxy: TcpProxy }> {
	const there = new URL(url);
	const proxy = await startTcpProxy(Number(there.port));
	cleanUps.push(() => proxy.stop());
	there.port = String(proxy.port);
	return { url: there.href, proxy };
}

function ingest(store: Store, ...raws: object[]) {
	return store.intake.add(arrival(Date.now(), ...raws));
}

const aes = (state: string, messageId: number) => ({ event: `aes_${state}`, messageId });

/** Records everything a store tells its listener. */
function listenTo(store: Store) {
	const told = {
		events: [] as DeliveryEvent[],
		queues: [] as string[],
		missed: 0,
	};
	store.listen({
		onEvents: (events) => told.events.push(...events),
		onQueue: (key) => told.queues.push(key),
		onWaits: () => undefined,
		onPolls: () => undefined,
		onMissed: () => void told.missed++,
		isWaiting: () => true,
	});
	return told;
}

/** Everything a consumer of all events gets, each batch acknowledged. */
async function takeAll(store: Store, key: string): Promise<DeliveryEvent[]> {
	const all: DeliveryEvent[] = [];
	let settle: Array<{ batch: string; outcome: 'ack' }> = [];
	for (;;) {
		const pull = pullOf(key, { wants: { ...EVERYTHING, batchSize: 10 }, settle });
		const taken = await store.consumers.take(pull, Date.now());
		if (taken.kind === 'held' || taken.batches.length === 0) return all;
		all.push(...taken.batches.flatMap(({ events }) => events));
		settle = taken.batches.map(({ id }) => ({ batch: id, outcome: 'ack' }));
	}
}

it('[EVNT-05][R] the same event at several receivers at once is one', async () => {
	const { all } = await stores(3);
	const event = { id: 'e1', event: 'aes_sent', messageId: 1 };
	const posts = Array.from({ length: 60 }, (_, n) => ingest(all[n % 3], event));
	const answers = await Promise.all(posts);
	expect(answers.filter(({ accepted }) => accepted === 1)).toHaveLength(1);
	expect(await all[2].log.slice({ limit: 10, before: null })).toHaveLength(1);
});

describe('the log', () => {
	/** Stores an event in turn, slowly: others wait for their turn, or else have overtaken it. */
	async function appendSlowly(url: string, id: string, end: 'COMMIT' | 'ROLLBACK') {
		const slow = await client(url);
		const exists = async (sql: string) => (await slow.query(sql)).rows.length > 0;
		await slow.query('BEGIN');
		await slow.query('SELECT pg_advisory_xact_lock($1)', [TURN_LOCK]);
		const { rows } = await slow.query(
			`INSERT INTO registered_delivery.events (id, type, message_id, received_at, event)
			VALUES ($1, 'unknown', NULL, 0, $2) RETURNING sequence`,
			[id, JSON.stringify({ id, type: 'unknown', messageId: null })],
		);
		await until(
			async () =>
				(await exists(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)) ||
				(await exists(
					`SELECT FROM registered_delivery.events WHERE sequence > ${rows[0].sequence}`,
				)),
			'it is told',
		);
		await slow.query(end);
	}

	it('is read in order and without gaps while several receivers append, at any speed', async () => {
		const { url, all } = await stores(3);
		const [reader, ...writers] = all;
		const told = all.map(listenTo);
		const seen: DeliveryEvent[] = [];
		await takeAll(reader, 'n8n~flow');
		let isOver = false;
		const reading = (async () => {
			while (!isOver) seen.push(...(await takeAll(reader, 'n8n~flow')));
		})();
		let sent = 0;
		const writing = writers.map(async (store) => {
			while (!isOver) await ingest(store, aes('sent', ++sent));
		});
		for (let n = 0; n < 20; n++) {
			await appendSlowly(url, `slow-${n}`, n % 3 === 0 ? 'ROLLBACK' : 'COMMIT');
		}
		isOver = true;
		await Promise.all([reading, ...writing]);
		seen.push(...(await takeAll(reader, 'n8n~flow')));
		const log = (await reader.log.slice({ limit: 10_000, before: null })).reverse();
		expect(log).toHaveLength(sent + 13);
		expect(seen).toEqual(log);
		await until(() => told.every(({ events }) => events.length === log.length), 'it is told');
		for (const { events } of told) expect(events).toEqual(log);
	});

	it('waits for nobody who writes elsewhere: in another table, another database', async () => {
		const { url, all } = await stores(1);
		const [store] = all;
		await takeAll(store, 'n8n~flow');
		const told = listenTo(store);
		for (const place of [url, await freshDatabase()]) {
			const other = await client(place);
			await other.query('BEGIN');
			await other.query('CREATE TABLE elsewhere (number int)');
		}
		await ingest(store, aes('sent', 1));
		expect(await takeAll(store, 'n8n~flow')).toHaveLength(1);
		await until(() => told.events.length === 1, 'it is told');
	});
});

describe('word of what happened', () => {
	it('reaches every receiver: events, room for a consumer, an execution to be woken', async () => {
		const { all } = await stores(2);
		const [first, second] = all;
		const told = listenTo(second);
		await first.consumers.take(pullOf('n8n~flow'), Date.now());
		await ingest(first, aes('sent', 1));
		await until(() => told.events.length === 1, 'it is told');
		const taken = await second.consumers.take(pullOf('n8n~flow'), Date.now());
		const [batch] = taken.kind === 'taken' ? taken.batches : [];
		expect(told.queues).toEqual([]);
		const settle = [{ batch: batch.id, outcome: 'ack' as const }];
		await first.consumers.settle('n8n~flow', 'first-n8n', settle, Date.now());
		await until(() => told.queues.includes('n8n~flow'), 'it is told');
		await first.waits.put('wait-0123456789abcdef', wait(1), Date.now());
		await ingest(first, aes('opened', 1));
		await first.waits.gather(Date.now());
		await until(() => told.queues.includes('n8n~'), 'it is told');
		expect(
			await second.waits.lease({ instance: 'n8n', holder: 'h', most: 10 }, Date.now()),
		).toHaveLength(1);
	});

	it('is not missed by a store that has just opened, however long it takes to listen', async () => {
		const url = await freshDatabase();
		const { url: proxied, proxy } = await behindProxy(url);
		const other = await open(url);
		const held = proxy.fallSilentBefore('LISTEN');
		const opening = open(proxied).then(listenTo);
		await held;
		// Time to see it red: a store that opens before it listens is told nothing.
		setTimeout(() => proxy.speak(), 500);
		const told = await opening;
		await other.waits.put('wait-0123456789abcdef', wait(1), Date.now());
		await ingest(other, aes('opened', 1));
		await other.waits.gather(Date.now());
		await until(() => told.queues.includes('n8n~'), 'it is told');
	});

	it('is caught up with when the connection that listens was lost', async () => {
		const { url, all } = await stores(1);
		const [first] = all;
		const { url: proxied, proxy } = await behindProxy(url);
		const second = await open(proxied);
		const told = listenTo(second);
		await second.consumers.take(pullOf('n8n~flow'), Date.now());
		await ingest(first, aes('sent', 1));
		await until(() => told.events.length === 1, 'it is told');
		proxy.cut();
		await first.consumers.release('n8n~flow', 'first-n8n', Date.now());
		await ingest(first, aes('sent', 2));
		await until(
			() => told.events.length === 2 && (told.missed > 0 || told.queues.includes('n8n~flow')),
			'it is told',
		);
	});

	const wait = (messageId: number) => ({
		instance: 'n8n',
		resumeUrl: 'http://127.0.0.1:9/',
		secret: 's'.repeat(32),
		messages: [{ messageId: String(messageId).padStart(12, '0'), messageType: 'AES' as const }],
		deadline: new Date(Date.now() + MINUTE).toISOString(),
		trackedMailGoal: 'opened' as const,
	});
});

it('[STAT-05][R] a receiver dies in the middle: ten consumers, each event in one batch, in order', async () => {
	const { url, all } = await stores(1);
	const [survivor] = all;
	const { url: proxied, proxy } = await behindProxy(url);
	const doomed = await open(proxied);
	const keys = Array.from({ length: 10 }, (_, n) => `n8n~flow-${n}`);
	const witnesses = keys.map((key) => new Witness(key));
	for (const key of keys) await survivor.consumers.take(pullOf(key, { holder: 'first' }), 0);

	const events = ['sent', 'received', 'opened'].flatMap((state) =>
		Array.from({ length: 30 }, (_, n) => aes(state, n + 1)),
	);
	const ingesting = (async () => {
		for (const event of events) await ingest(survivor, event);
	})();
	// Wherever the proxy cuts it, a round trip is in progress: begun, planned, committed, answered.
	const pulling = witnesses.map((witness, n) =>
		witness.pullUntil(() => false, { store: doomed, holder: 'first', now: 1, atOnce: 1 + (n % 3) }),
	);
	await until(() => witnesses.every(({ handedOut }) => handedOut > 5), 'it is told');
	proxy.cut();
	await proxy.stop();
	await expect(Promise.all(pulling)).rejects.toThrow(StoreUnavailable);
	await Promise.allSettled(pulling);
	await ingesting;
	await Promise.all(
		witnesses.map((witness) =>
			witness.pullUntil(() => witness.received === events.length, {
				store: survivor,
				holder: 'second',
				now: 2 * MINUTE,
				atOnce: 3,
			}),
		),
	);
	const accepted = (await survivor.log.slice({ limit: 500, before: null })).reverse();
	for (const witness of witnesses) witness.judge(accepted);
}, 60_000);

it('pulls of one consumer at two receivers at once get no more than there is room for', async () => {
	const { all } = await stores(2);
	await takeAll(all[0], 'n8n~flow');
	for (let n = 0; n < 30; n++) await ingest(all[n % 2], aes('sent', n + 1));
	const pulls = Array.from({ length: 20 }, (_, n) =>
		all[n % 2].consumers.take(pullOf('n8n~flow', { atOnce: 5 }), Date.now()),
	);
	const batches = (await Promise.all(pulls)).flatMap((taken) =>
		taken.kind === 'taken' ? taken.batches : [],
	);
	expect(batches).toHaveLength(5);
	const events = batches.flatMap((batch) => batch.events);
	expect(new Set(events.map(({ id }) => id)).size).toBe(5);
});

// What else a silent connection must not do: test/faults/half-open.ts.
describe('a connection that is open and dead', () => {
	it('does not keep a process from ending', async () => {
		const { url, proxy } = await behindProxy(await freshDatabase());
		cleanUps.push(endProcesses);
		const receiver = await startProcess(temporaryFolder(), { DATABASE_URL: url });
		// Under way on several connections, which is what stays open.
		await Promise.all(Array.from({ length: 8 }, () => receiver.manage('GET', '/events?limit=1')));
		proxy.fallSilent();
		receiver.child.kill('SIGTERM');
		expect(await receiver.exited).toEqual([0, null]);
	}, 60_000);
});

it('events and readiness wait for nothing that n8n asks', async () => {
	cleanUps.push(endProcesses);
	const receiver = await start({ env: { DATABASE_URL: await freshDatabase() } });
	const deadline = new Date(Date.now() + MINUTE).toISOString();
	const put = async (n: number) => {
		const messages = [{ messageId: String(n).padStart(12, '0') }];
		const wait = { instance: 'n8n', resumeUrl: 'http://127.0.0.1:9/', secret: 's'.repeat(32) };
		const body = { ...wait, messages, deadline };
		return (await receiver.manage('PUT', `/waits/wait-${n + 1e15}`, body)).status;
	};
	const asked = Promise.all(Array.from({ length: 300 }, (_, n) => put(n)));
	for (let n = 1; n < 10; n++) {
		expect((await receiver.emit(aes('sent', n))).status).toBe(200);
		expect((await fetch(`${receiver.url}/readyz`)).status).toBe(200);
	}
	expect(new Set(await asked)).toEqual(new Set([200]));
}, 60_000);

it('a receiver that nobody uses asks the database nothing, and is told all the same', async () => {
	cleanUps.push(endProcesses);
	const url = await freshDatabase();
	const env = { DATABASE_URL: url };
	const [receiver, other] = [await start({ env }), await start({ env })];
	const observer = await client(url);
	const lastAsked = async () => {
		const { rows } = await observer.query(
			`SELECT max(query_start)::text AS last FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE 'registered-delivery%'`,
		);
		return rows[0].last as string;
	};
	const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1_000));
	await seconds(2);
	const before = await lastAsked();
	await seconds(3);
	expect(await lastAsked()).toBe(before);
	await receiver.pull();
	const held = receiver.pulled({ holdMs: 20_000 });
	await receiver.untilHeld();
	await other.emit(aes('sent', 1));
	expect((await held).batches).toHaveLength(1);
}, 60_000);

it('an event goes before all that waits for a turn', async () => {
	const { all } = await stores(1);
	const [store] = all;
	const pace = { delays: [{ age: 0, delay: MINUTE }], limitMs: MINUTE };
	let put = 0;
	const puts = Array.from({ length: 200 }, async (_, n) => {
		await store.watching.put([{ messageId: String(n).padStart(12, '0') }], Date.now(), pace);
		put++;
	});
	await ingest(store, aes('sent', 1));
	await store.check();
	expect(put).toBeLessThan(100);
	await Promise.all(puts);
}, 60_000);

it('answers for an event once it is committed, not before', async () => {
	cleanUps.push(endProcesses);
	const url = await freshDatabase();
	const receiver = await start({ env: { DATABASE_URL: url } });
	const hold = await holdCommits(url, 'held-on-its-way');
	const emitted = receiver.emit({ ...aes('sent', 1), note: 'held-on-its-way' });
	let answer: number | null = null;
	void emitted.then(({ status }) => (answer = status));
	await until(async () => (await hold.waiting()) > 0, 'it is about to be committed');
	// By when an answer would have come, too.
	await receiver.events();
	expect(answer).not.toBe(200);
	await hold.release();
	await emitted;
});

it('commits to disk however the server is set up, unless the URL says otherwise', async () => {
	const url = await freshDatabase();
	const name = new URL(url).pathname.slice(1);
	await (await client(url)).query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
	const durability = async (address: string) => (await shown(address, ['synchronous_commit']))[0];
	expect(await durability(url)).toBe('on');
	const stricter = `${url}?options=${encodeURIComponent('-c synchronous_commit=remote_apply')}`;
	expect(await durability(stricter)).toBe('remote_apply');
});

/** Settings of the receiver's connections. */
async function shown(url: string, names: readonly string[]): Promise<string[]> {
	const limits = { connections: 1, patienceMs: 5_000, transactionMs: 5_000 };
	const database = new Database(url, { ...limits, onError: () => undefined });
	try {
		const rows = await Promise.all(names.map((name) => database.rows(`SHOW ${name}`)));
		return rows.map(([row]) => Object.values(row as object)[0] as string);
	} finally {
		await database.close();
	}
}
