// Watching, on both stores: a receiver, a service that answers over HTTP, a clock moved by hand.
import pg from 'pg';
import { eventSchema, watchViewSchema } from '../../../webhook-receiver/src/core/event-contract.ts';
import { CAPABILITIES } from '../../../webhook-receiver/src/server.ts';
import { ManualClock, cleanUp, idsTo, later, start, until } from './harness.ts';
import { query } from './postgres-server.ts';
import { HTTP_STORES, freshDatabase } from './store-environment.ts';
import { SERVICE_TOKEN, pollService } from './watching/service.ts';
import type { PolledMessage } from './watching/service.ts';

const MINUTE = 60_000;
const ID = '000000000001';
/** How many letters a receiver asks for at once. */
type Started = Awaited<ReturnType<typeof start>>;

const POLLS_AT_ONCE = 8;

jest.setTimeout(120_000);
afterEach(cleanUp);

describe.each(HTTP_STORES)('in $name', (kind) => {
	async function watching(more: Record<string, string> = {}) {
		const clock = new ManualClock();
		const service = await pollService(clock.now);
		const env = { ...(await kind.environment()), WATCH_RATE_LIMIT: '60000', ...service.env(more) };
		const receiver = await start({ env, dependencies: { clock } });
		/** Gives the message a status, and lets time pass until it is polled and stored. */
		const see = async (message: PolledMessage) => {
			service.messages.set(ID, message);
			const polls = service.polls.length;
			await until(async () => {
				clock.advance(15_000);
				// A poll already in progress may have seen the previous status.
				const poll = service.polls[polls];
				if (poll === undefined) return false;
				const { body } = await receiver.manage('GET', `/watches/${ID}`);
				return body.polledAt !== null && Date.parse(String(body.polledAt)) >= poll.at;
			}, 'it is polled');
		};
		return { clock, service, receiver, see };
	}

	it('says who it is and makes an event of each change', async () => {
		const { receiver, service, see } = await watching();
		service.messages.set(ID, { status: 'SENT', evidences: ['SENT'] });
		const put = await receiver.manage('PUT', `/watches/${ID}`, { messageType: 'LRE' });
		expect(put.status).toBe(201);
		expect(watchViewSchema.parse(put.body)).toMatchObject({ messageType: 'LRE', status: null });
		expect((await receiver.manage('PUT', `/watches/${ID}`, {})).status).toBe(200);

		await see({ status: 'SENT', evidences: ['SENT'] });
		await see({ status: 'SENT', evidences: ['SENT'] });
		await see({ status: 'ACCEPTED', evidences: ['SENT', 'ACCEPTED'] });
		expect(service.polls[0]).toMatchObject({ token: SERVICE_TOKEN });
		const [sent, accepted] = (await receiver.events()).reverse();
		expect(eventSchema.parse(sent)).toMatchObject({
			type: 'letter.sent',
			sourceType: 'status',
			messageId: ID,
			messageType: 'LRE',
			status: 'SENT',
			terminal: false,
			occurredAt: null,
			raw: { id: ID, status: 'SENT', evidences: [{ eventType: 'SENT' }] },
		});
		expect(accepted).toMatchObject({ type: 'letter.accepted', terminal: true });
		expect(JSON.stringify(accepted)).not.toContain('signed.example');
		expect(await receiver.events()).toHaveLength(2);

		const { body } = await receiver.manage('GET', `/watches/${ID}`);
		expect(body).toMatchObject({ status: 'ACCEPTED', endReason: 'final', nextPollAt: null });
	});

	it('keeps connections, and to its rate', async () => {
		const { clock, receiver, service } = await watching({ WATCH_RATE_LIMIT: '120' });
		const ids = idsTo(60);
		for (const id of ids) service.messages.set(id, { status: 'SENT', evidences: ['SENT'] });
		await receiver.manage('POST', '/watches', {
			messages: ids.map((messageId) => ({ messageId })),
		});
		clock.advance(2 * MINUTE);
		const begun = clock.now();
		while (service.polls.length < 60) {
			clock.advance(250);
			await receiver.atRest();
		}
		// Two a second.
		expect(clock.now() - begun).toBeGreaterThanOrEqual(29_000);
		expect(new Set(service.polls.map(({ port }) => port)).size).toBeLessThanOrEqual(POLLS_AT_ONCE);
	});

	it('shows, lists and ends watches, and refuses what is not one', async () => {
		const { receiver } = await watching();
		const ids = [ID, '000000000002', '000000000003', ID];
		const messages = ids.map((messageId) => ({ messageId }));
		const post = await receiver.manage('POST', '/watches', { messages });
		expect(post.body).toEqual({ created: 3, existing: 0 });
		const first = await receiver.manage('GET', '/watches?limit=2');
		expect(first.body.data).toMatchObject([{ messageId: '000000000003' }, { messageId: ids[1] }]);
		const second = await receiver.manage(
			'GET',
			`/watches?limit=2&before=${String(first.body.next)}`,
		);
		expect(second.body).toMatchObject({ data: [{ messageId: ID }], next: null });

		expect((await receiver.manage('DELETE', `/watches/${ID}`)).status).toBe(204);
		expect((await receiver.manage('DELETE', `/watches/${ID}`)).status).toBe(204);
		const ended = await receiver.manage('GET', `/watches/${ID}`);
		expect(watchViewSchema.parse(ended.body)).toMatchObject({
			endReason: 'removed',
			endedAt: expect.any(String),
			nextPollAt: null,
		});
		expect((await receiver.manage('PUT', `/watches/${ID}`, {})).status).toBe(201);
		expect((await receiver.manage('GET', '/watches/000000000009')).status).toBe(404);

		const type = await receiver.manage('PUT', `/watches/${ID}`, { messageType: 'FAX' });
		expect(type).toMatchObject({ status: 422, body: { code: 'invalid-watch' } });
		expect((await receiver.manage('PUT', '/watches/12', {})).status).toBe(400);
		expect((await receiver.manage('GET', '/watches', undefined, 'wrong')).status).toBe(401);
	});
});

it('of several receivers on one PostgreSQL one polls, by the rate and none twice; another takes over', async () => {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	const env = {
		DATABASE_URL: await freshDatabase(),
		WATCH_RATE_LIMIT: '600',
		...service.env({ WATCH_DELAYS: '0s:1h' }),
	};
	const starting = [1, 2, 3].map(() => start({ env, dependencies: { clock } }));
	const receivers = await Promise.all(starting);
	const ids = idsTo(90);
	for (const id of ids) service.messages.set(id, { status: 'SENT', evidences: ['SENT'] });
	const messages = ids.map((messageId) => ({ messageId, messageType: 'LRE' }));
	await receivers[0]?.manage('POST', '/watches', { messages });
	clock.advance(75 * MINUTE);
	const begun = clock.now();
	await until(() => {
		clock.advance(100);
		return service.polls.length >= 90;
	}, 'all are polled');
	for (const { atRest } of receivers) await atRest();
	expect(service.polls).toHaveLength(90);
	expect(new Set(service.polls.map(({ messageId }) => messageId)).size).toBe(90);
	expect(clock.now() - begun).toBeGreaterThanOrEqual(8_000);
	const polledBy = async ({ metrics }: Started) =>
		Number(/receiver_watch_polls_total{result="status"} (\d+)/.exec(await metrics())?.[1] ?? 0);
	const polled = await Promise.all(receivers.map(polledBy));
	expect(polled.toSorted((left, right) => left - right)).toEqual([0, 0, 90]);

	const leader = receivers[polled.indexOf(90)] as Started;
	const others = receivers.filter((one) => one !== leader);
	let isOver = false;
	// An n8n waits for them.
	const pulling = others.map(async ({ pull }, n) => {
		while (!isOver) await pull({ openMs: 25_000 }, { key: `n8n~f${n}~t~production` });
	});
	await leader.close();
	clock.advance(75 * MINUTE);
	await until(() => {
		clock.advance(100);
		return service.polls.length >= 180;
	}, 'all are polled again');
	isOver = true;
	clock.advance(MINUTE);
	await Promise.all(pulling);
}, 90_000);

describe('a receiver that loses the lead', () => {
	async function leading() {
		const clock = new ManualClock();
		const service = await pollService(clock.now);
		const url = await freshDatabase();
		const env = { DATABASE_URL: url, ...service.env({ WATCH_DELAYS: '0s:1h' }) };
		// Others would take up the connections while a table is locked.
		const names = ['watching', 'waits', 'metrics'];
		const capabilities = CAPABILITIES.filter(({ name }) => names.includes(name));
		const receiver = await start({ env, dependencies: { clock, capabilities } });
		await receiver.manage('PUT', `/watches/${ID}`, {});
		const other = new pg.Client(url);
		await other.connect();
		later(() => other.end());
		/** Of this database: who has the lead, or waits for it. */
		const lead = async (granted: boolean) => {
			const [row] = await query(
				url,
				`SELECT pid, (classid::bigint << 32) + objid::bigint AS key FROM pg_locks
				WHERE locktype = 'advisory' AND granted = ${granted} AND database = (
					SELECT oid FROM pg_database WHERE datname = current_database()
				) AND pid IN (SELECT pid FROM pg_stat_activity WHERE query LIKE '%advisory_lock(%')`,
			);
			return row && { pid: Number(row.pid), key: String(row.key) };
		};
		const untilServer = (condition: string, what: string) =>
			until(async () => {
				const rows = await query(
					url,
					`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND ${condition}`,
				);
				return rows.length > 0;
			}, what);
		const leader = async () => {
			await until(async () => (await lead(true)) !== undefined, 'it has the lead');
			return (await lead(true)) as { pid: number; key: string };
		};
		const endOf = (pid: number) => query(url, `SELECT pg_terminate_backend(${pid})`);
		// A receiver asks for the lead again while an n8n waits.
		let isOver = false;
		const wants = { events: ['letter.sent'] };
		const pulling = (async () => {
			while (!isOver) await receiver.pull({ wants, openMs: 25_000 });
		})().catch(() => undefined);
		const end = async () => {
			isOver = true;
			clock.advance(MINUTE);
			await pulling;
		};
		return { clock, service, receiver, other, lead, leader, untilServer, endOf, end };
	}

	it('polls nothing until it has it again', async () => {
		const { clock, service, receiver, other, lead, leader, untilServer, endOf, end } =
			await leading();
		const { pid, key } = await leader();
		const taken = other.query('SELECT pg_advisory_lock($1)', [key]);
		await until(async () => (await lead(false)) !== undefined, 'another one waits for it');
		await endOf(pid);
		await taken;
		await untilServer(
			"state = 'idle' AND query LIKE 'SELECT pg_try_advisory_lock%'",
			'it asks for it',
		);
		await receiver.atRest();
		clock.advance(75 * MINUTE);
		await receiver.atRest();
		expect(service.polls).toEqual([]);

		await other.query('SELECT pg_advisory_unlock_all()');
		await until(() => {
			clock.advance(1_000);
			return service.polls.length > 0;
		}, 'it polls');
		await end();
	});

	it('and has it again at once, asks for no letter twice', async () => {
		const { clock, service, receiver, other, leader, untilServer, endOf, end } = await leading();
		const { pid } = await leader();
		await receiver.atRest();
		await other.query('BEGIN; LOCK TABLE registered_delivery.records');
		clock.advance(75 * MINUTE);
		await untilServer("wait_event_type = 'Lock'", 'it looks for what is due');
		await endOf(pid);
		await until(async () => (await leader()).pid !== pid, 'it has it again');
		// By then it would have looked once more.
		for (let n = 0; n < 10; n++) await receiver.manage('GET', '/waits');
		await other.query('COMMIT');
		await receiver.atRest();
		expect(service.polls).toHaveLength(1);
		await end();
	});
});

it('several receivers on one PostgreSQL, woken at once, poll no faster than one', async () => {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	const env = {
		DATABASE_URL: await freshDatabase(),
		WATCH_RATE_LIMIT: '600',
		...service.env({ WATCH_DELAYS: '0s:1h' }),
	};
	const receivers = [1, 2, 3].map(() => start({ env, dependencies: { clock } }));
	const all = await Promise.all(receivers);
	const messages = idsTo(20).map((messageId) => ({ messageId }));
	await all[0]?.manage('POST', '/watches', { messages });
	for (const { atRest } of all) await atRest();
	clock.advance(75 * MINUTE);
	for (let due = 1; due <= 20; due++) {
		for (const { atRest } of all) await atRest();
		expect(service.polls.length).toBeLessThanOrEqual(due);
		clock.advance(100);
	}
	await until(() => service.polls.length === 20, 'all are polled');
});

it('says what is missing when it does not know the service', async () => {
	const receiver = await start();
	const answer = await receiver.manage('PUT', `/watches/${ID}`, {});
	expect(answer).toMatchObject({ status: 409, body: { code: 'watching-not-configured' } });
	expect(answer.body.message).toContain('SERVICE_URL');
});
