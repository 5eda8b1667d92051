// Requests to the receiver and their refusals; how it shows consumers, events and batches.
import type { Batch } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { KEY, ManualClock, TOKEN, call, cleanUp, start, until } from './harness.ts';

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

it.each(['/events?limit=0', '/events?limit=x', '/events?before=-1', '/consumers?limit=501'])(
	'400 for a page that is none: %s',
	async (path) => {
		const receiver = await start();
		expect((await receiver.manage('GET', path)).status).toBe(400);
	},
);

it('400 for a state that no batch has', async () => {
	const receiver = await start();
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
