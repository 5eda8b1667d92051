// Requests to the receiver and their refusals; how it shows consumers, events and batches.
import { pino } from 'pino';
import type { Batch } from '../../../webhook-receiver/src/core/pull-contract.ts';
import {
	HOLDER,
	INGEST_SECRET,
	KEY,
	ManualClock,
	TOKEN,
	call,
	cleanUp,
	start,
	until,
} from './harness.ts';

afterEach(cleanUp);

const sent = (messageId: number) => ({ event: 'aes_sent', messageId });

it('422 for a pull with a member that nobody knows, naming it', async () => {
	const receiver = await start();
	const answer = await receiver.pull({ colour: 'quoted-secret' } as object);
	expect(answer).toMatchObject({ status: 422, body: { code: 'invalid-pull' } });
	expect(answer.body.message).toContain('colour');
	expect(JSON.stringify(answer.body)).not.toContain('quoted-secret');
	expect(await receiver.consumers()).toEqual([]);
});

it('422 for a key that is none', async () => {
	const receiver = await start();
	const answer = await receiver.pull({}, { key: encodeURIComponent('a b') });
	expect(answer).toMatchObject({ status: 422, body: { code: 'invalid-consumer' } });
	expect(answer.body.message).toContain('key');
});

it('400 for a body that is not JSON; a thousand settlements fit', async () => {
	const receiver = await start();
	const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
	const url = `${receiver.url}/consumers/${KEY}/pull`;
	const answer = await call(url, { method: 'POST', headers, body: '{"holder":' });
	expect(answer).toMatchObject({ status: 400, body: { code: 'broken-body' } });
	const settle = Array.from({ length: 1_000 }, (_, n) => ({
		batch: `bat_${n}`,
		outcome: 'nak' as const,
		reason: '字'.repeat(500),
	}));
	expect((await receiver.pull({ settle })).status).toBe(200);
});

describe('management tokens', () => {
	const PATHS = [
		['POST', `/consumers/${KEY}/pull`],
		['GET', '/consumers'],
		['DELETE', `/consumers/${KEY}`],
		// Not GET /events, which answers tries of an address: door.test.ts.
		['GET', '/batches'],
		['POST', '/batches/retry?state=dead'],
		...['GET', 'PUT'].map((method) => [method, '/claims']),
		...['GET', 'PUT', 'DELETE'].map((method) => [method, '/claims/k']),
		...['GET', 'PUT', 'DELETE'].map((method) => [method, '/waits/wait-0000-0000-0001']),
	];

	it.each(['', 'wrong', 'management-token-of-test', `${TOKEN},${TOKEN}`])(
		'401 for %p',
		async (token) => {
			const receiver = await start();
			for (const [method, path] of PATHS) {
				const headers = { authorization: `Basic ${token}x` };
				expect((await call(`${receiver.url}${path}`, { method, headers })).status).toBe(401);
				const answer = await receiver.manage(method, path, undefined, token);
				expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
			}
		},
	);

	it('several are valid at once, so that one can be replaced without a gap', async () => {
		const next = 'the-token-that-comes-next';
		const receiver = await start({ env: { MANAGEMENT_TOKEN_2: next } });
		const list = async (token: string) =>
			(await receiver.manage('GET', '/consumers', undefined, token)).status;
		expect([await list(TOKEN), await list(next)]).toEqual([200, 200]);
		expect([await list(`${TOKEN}, ${next}`), await list(next.slice(1))]).toEqual([401, 401]);
	});
});

it('pages through what it has', async () => {
	const receiver = await start();
	await receiver.pull({ atOnce: 5 });
	await receiver.emit([1, 2, 3, 4, 5].map(sent));
	await receiver.pull({ atOnce: 5 });
	for (const n of [3, 1, 2]) await receiver.pull({}, { key: `n8n~flow-${n}~trigger~production` });
	const walk = async (path: string, member: string, place = 'before') => {
		const numbers: unknown[] = [];
		for (let query = '?limit=2'; ; ) {
			const { body } = await receiver.manage('GET', `${path}${query}`);
			numbers.push(...(body.data as Array<Record<string, unknown>>).map((one) => one[member]));
			if (body.next === null) return numbers;
			query = `?limit=2&${place}=${body.next as number | string}`;
		}
	};
	expect(await walk('/events', 'sequence')).toEqual([5, 4, 3, 2, 1]);
	expect(await walk('/batches', 'number')).toEqual([5, 4, 3, 2, 1]);
	expect(await walk('/consumers', 'key', 'after')).toEqual([
		...[1, 2, 3].map((n) => `n8n~flow-${n}~trigger~production`),
		KEY,
	]);
	expect(await receiver.batches('in-hand')).toHaveLength(5);
	expect(await receiver.batches('queued')).toEqual([]);
	for (const query of ['?limit=0', '?limit=x', '?before=-1']) {
		expect((await receiver.manage('GET', `/events${query}`)).status).toBe(400);
	}
	expect((await receiver.manage('GET', '/consumers?limit=501')).status).toBe(400);
	expect((await receiver.manage('GET', '/batches?state=lost')).status).toBe(400);
});

it('a dead batch is handed out again for as long as it is shown, however old its event', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock }, env: { RETENTION: '1h' } });
	await receiver.pull();
	await receiver.emit([sent(1), sent(2)]);
	const { batches } = await receiver.pulled({ atOnce: 2 });
	const [dead, done] = batches as [Batch, Batch];
	await receiver.pull({ settle: [{ batch: done.id, outcome: 'ack' }] });
	for (let minutes = 0; minutes < 80; minutes += 10) {
		if (minutes === 50) await receiver.pull({ settle: [{ batch: dead.id, outcome: 'term' }] });
		clock.advance(10 * 60_000);
		await receiver.pull({ atOnce: 0 });
		await receiver.atRest();
	}
	const isThere = async (messageId: string) =>
		(await receiver.events()).some((event) => event.messageId === messageId);
	await until(async () => !(await isThere('000000000002')), 'what is done is cleaned');
	expect(await receiver.batches('dead')).toMatchObject([{ id: dead.id }]);
	expect((await receiver.manage('POST', `/batches/${dead.id}/retry`)).status).toBe(202);
	expect((await receiver.pulled()).batches).toMatchObject([{ events: dead.events }]);
});

it('logs one line a request, and never a secret', async () => {
	const lines: string[] = [];
	const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
	const receiver = await start({ dependencies: { logger } });
	await receiver.pull();
	await receiver.emit(sent(1));
	await receiver.pull({ holder: HOLDER });
	await receiver.manage('GET', '/events?token=query-secret', undefined, 'wrong-token');
	await receiver.close();
	const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
	const requests = entries.filter((entry) => entry.msg === 'request');
	expect(requests).toHaveLength(4);
	expect(requests[2]).toMatchObject({ path: `/consumers/${KEY}/pull`, batches: 1, wakeUps: 0 });
	for (const secret of [TOKEN, INGEST_SECRET, 'query-secret', 'wrong-token']) {
		expect(lines.join()).not.toContain(secret);
	}
});
