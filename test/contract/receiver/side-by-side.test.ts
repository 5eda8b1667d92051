// Several receivers on one PostgreSQL, and what can go wrong between them and it.
import pg from 'pg';
import { behindProxy } from './behind-proxy.ts';
import { ME, claimClient } from './claim-client.ts';
import {
	cleanUp,
	consume,
	drained,
	idsTo,
	later,
	start,
	temporaryFolder,
	until,
	waitFor,
} from './harness.ts';
import { holdCommits, onEachTable } from './held-commits.ts';
import { query } from './postgres-server.ts';
import { startProcess } from './process.ts';
import { freshDatabase } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

type Receiver = Awaited<ReturnType<typeof start>>;

async function receivers(count: number) {
	const url = await freshDatabase();
	const one = () => start({ env: { DATABASE_URL: url } });
	// Simultaneously, as an orchestrator starts them: their migrations must not collide.
	return { url, all: await Promise.all(Array.from({ length: count }, one)) };
}

async function client(url: string): Promise<pg.Client> {
	const one = new pg.Client({ connectionString: url });
	one.on('error', () => undefined);
	await one.connect();
	later(() => one.end());
	return one;
}

const aes = (state: string, messageId: number) => ({ event: `aes_${state}`, messageId });

const takeAll = async (receiver: Receiver) =>
	(await drained(receiver, { wants: { events: ['*'], batchSize: 10 } })).map(({ id }) => id);

it('[EVNT-05][R] the same event at several receivers at once is one', async () => {
	const { all } = await receivers(3);
	const event = { id: 'e1', ...aes('sent', 1) };
	const posts = Array.from({ length: 60 }, (_, n) => all[n % 3].emit(event));
	const answers = await Promise.all(posts);
	expect(answers.filter(({ body }) => body.accepted === 1)).toHaveLength(1);
	expect(await all[2].events()).toHaveLength(1);
});

describe('the log', () => {
	it('is read in order and without gaps while several receivers append, at any speed', async () => {
		const { url, all } = await receivers(3);
		const [slow, quick, reader] = all;
		const seen = await takeAll(reader);
		const hold = await holdCommits(url, 'at-any-speed');
		const first = slow.emit({ ...aes('sent', 1), text: 'at-any-speed' });
		await until(async () => (await hold.waiting()) > 0, 'one is about to be committed');
		let isStored = false;
		const second = quick.emit(aes('sent', 2)).then(() => (isStored = true));
		await until(
			async () => isStored || (await hold.waiting()) > 1,
			'the other one waits for its turn, or has overtaken it',
		);
		seen.push(...(await takeAll(reader)));
		await hold.release();
		await Promise.all([first, second]);
		seen.push(...(await takeAll(reader)));
		expect(seen).toEqual((await reader.events()).reverse().map(({ id }) => id));
		expect(seen).toHaveLength(2);
	});

	it('waits for nobody who writes elsewhere: in another table, another database', async () => {
		const { url, all } = await receivers(1);
		const [receiver] = all;
		await takeAll(receiver);
		for (const place of [url, await freshDatabase()]) {
			const other = await client(place);
			await other.query('BEGIN');
			await other.query('CREATE TABLE elsewhere (number int)');
		}
		const held = receiver.pulled({ openMs: 60_000 });
		await receiver.untilHeld();
		await receiver.emit(aes('sent', 1));
		expect((await held).batches).toHaveLength(1);
	});
});

describe('word of what happened', () => {
	it('reaches every receiver: events, room for a consumer', async () => {
		const { all } = await receivers(2);
		const [first, second] = all;
		await first.pulled();
		let held = second.pulled({ openMs: 60_000 });
		await second.untilHeld();
		await first.emit([aes('sent', 1), aes('sent', 2)]);
		const [batch] = (await held).batches;
		held = second.pulled({ openMs: 60_000 });
		await second.untilHeld();
		const settle = [{ batch: batch.id, outcome: 'ack' as const }];
		await first.pulled({ settle, wants: null });
		expect((await held).batches).toHaveLength(1);
	});

	it('is not missed by a receiver that has just started, however long it takes to listen', async () => {
		const url = await freshDatabase();
		const { url: proxied, proxy } = await behindProxy(url);
		const other = await start({ env: { DATABASE_URL: url } });
		const silent = proxy.fallSilentBefore('LISTEN');
		const starting = start({ env: { DATABASE_URL: proxied } });
		let isStarted = false;
		void starting.then(() => (isStarted = true));
		await silent;
		// Time to see it red: one that takes requests before it listens is told nothing.
		await new Promise((resolve) => setTimeout(resolve, 500));
		expect(isStarted).toBe(false);
		proxy.speak();
		const receiver = await starting;
		await receiver.pulled();
		const held = receiver.pulled({ openMs: 60_000 });
		await receiver.untilHeld();
		await other.emit(aes('sent', 1));
		expect((await held).batches).toHaveLength(1);
	});

	it('is caught up with when the connection that listens was lost', async () => {
		const { url, all } = await receivers(1);
		const { url: proxied, proxy } = await behindProxy(url);
		const second = await start({ env: { DATABASE_URL: proxied } });
		const flow = await consume(second);
		await second.untilHeld();
		proxy.cut();
		await all[0].emit(aes('sent', 1));
		await until(() => flow.events().length === 1, 'it is told');
	});
});

it('pulls of one consumer at two receivers at once get no more than there is room for', async () => {
	const { all } = await receivers(2);
	await takeAll(all[0]);
	await all[0].emit(Array.from({ length: 30 }, (_, n) => aes('sent', n + 1)));
	const pulls = Array.from({ length: 20 }, (_, n) => all[n % 2].pulled({ atOnce: 5 }));
	const batches = (await Promise.all(pulls)).flatMap((answer) => answer.batches);
	expect(batches).toHaveLength(5);
	const events = batches.flatMap((batch) => batch.events);
	expect(new Set(events.map(({ id }) => id)).size).toBe(5);
});

// What else a silent connection must not do: test/faults/half-open.ts.
describe('a connection that is open and dead', () => {
	it('does not keep a process from ending', async () => {
		const { url, proxy } = await behindProxy(await freshDatabase());
		const receiver = await startProcess(temporaryFolder(), { DATABASE_URL: url });
		// Under way on several connections, which is what stays open.
		await Promise.all(Array.from({ length: 8 }, () => receiver.manage('GET', '/events?limit=1')));
		proxy.fallSilent();
		receiver.child.kill('SIGTERM');
		expect(await receiver.exited).toEqual([0, null]);
	}, 60_000);
});

it('events and readiness wait for nothing that n8n asks', async () => {
	const receiver = await start({ env: { DATABASE_URL: await freshDatabase() } });
	const asked = Promise.all(
		idsTo(300).map(async (id) => {
			const wait = waitFor({ now: Date.now }, [id]);
			return (await receiver.manage('PUT', `/waits/wait-for-${id}`, wait)).status;
		}),
	);
	for (let n = 1; n < 10; n++) {
		expect((await receiver.emit(aes('sent', n))).status).toBe(200);
		expect((await fetch(`${receiver.url}/readyz`)).status).toBe(200);
	}
	expect(new Set(await asked)).toEqual(new Set([200]));
}, 60_000);

it('a receiver that nobody uses asks the database nothing, and is told all the same', async () => {
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
	const held = receiver.pulled({ openMs: 20_000 });
	await receiver.untilHeld();
	await other.emit(aes('sent', 1));
	expect((await held).batches).toHaveLength(1);
}, 60_000);

it('an event goes before all that waits for a turn', async () => {
	const env = { SERVICE_URL: 'http://127.0.0.1:9', SERVICE_TOKEN: 'token-of-the-service' };
	const receiver = await start({ env: { DATABASE_URL: await freshDatabase(), ...env } });
	let put = 0;
	const puts = idsTo(200).map(async (id) => {
		await receiver.manage('PUT', `/watches/${id}`, {});
		put++;
	});
	await receiver.emit(aes('sent', 1));
	expect((await fetch(`${receiver.url}/readyz`)).status).toBe(200);
	expect(put).toBeLessThan(100);
	await Promise.all(puts);
});

it('an event waits for nothing that was refused in its turn', async () => {
	const receiver = await start({ env: { DATABASE_URL: await freshDatabase() } });
	await claimClient(receiver).claim(ME);
	// Nothing else takes a turn, and ends with its own what was left open.
	await receiver.atRest();
	const settle = { messageIds: idsTo(1) };
	expect((await receiver.manage('POST', '/claims/k/sent', settle)).status).toBe(409);
	const begun = performance.now();
	await receiver.emit(aes('sent', 1));
	// PostgreSQL itself ends after three seconds what is left open.
	expect(performance.now() - begun).toBeLessThan(2_000);
});

it('answers for an event once it is committed, not before', async () => {
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
	await query(url, `ALTER DATABASE ${name} SET synchronous_commit = off`);
	/** What it was as events were stored, seen from within. */
	const durability = async (address: string) => {
		const receiver = await start({ env: { DATABASE_URL: address } });
		await query(
			url,
			`DROP TABLE IF EXISTS seen CASCADE;
			CREATE TABLE seen (setting text);
			CREATE OR REPLACE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				INSERT INTO public.seen VALUES (current_setting('synchronous_commit'));
				RETURN NULL;
			END $$;
			${onEachTable(`CREATE OR REPLACE TRIGGER see AFTER INSERT ON %s
				FOR EACH ROW EXECUTE FUNCTION public.see()`)}`,
		);
		await receiver.emit({ event: 'aes_sent', messageId: 1, at: address });
		return (await query(url, 'SELECT DISTINCT setting FROM seen')).map(({ setting }) => setting);
	};
	expect(await durability(url)).toEqual(['on']);
	const stricter = `${url}?options=${encodeURIComponent('-c synchronous_commit=remote_apply')}`;
	expect(await durability(stricter)).toEqual(['remote_apply']);
});
