// Who holds a consumer, and how it is released, over HTTP and on both stores.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { HELD_BY_ANOTHER } from '../../../webhook-receiver/src/core/pull-contract.ts';
import {
	KEY,
	ManualClock,
	TOKEN,
	cleanUp,
	later,
	recordedLog,
	start,
	temporaryFolder,
	until,
} from './harness.ts';
import { holdCommits } from './held-commits.ts';
import { HTTP_STORES, freshDatabase } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const [ONE, OTHER] = ['holder-one', 'holder-other'];
const sent = (messageId: number) => ({ event: 'aes_sent', messageId });

/** A separate process that holds a pull, like n8n. */
function startHolder(url: string, holder: string) {
	const body = JSON.stringify({ holder, wants: { events: ['*'] }, openMs: 60_000 });
	const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
	const request = JSON.stringify({ method: 'POST', headers, body });
	const program = `fetch('${url}/consumers/${KEY}/pull', ${request})
		.then(async (answer) => console.log(answer.status, await answer.text()));`;
	const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
	const exited = once(child, 'exit');
	let said = '';
	child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
	later(async () => {
		child.kill('SIGKILL');
		await exited;
	});
	return { child, exited, said: () => said };
}

it('is free when its process is killed while a pull beside the held one is being answered', async () => {
	const env = { DATABASE_URL: await freshDatabase() };
	const { url, pull, consumers, metrics } = await start({ env });
	const { child, exited } = startHolder(url, ONE);
	await until(async () => (await consumers())[0]?.held === true, 'it is held');
	const slow = await holdCommits(env.DATABASE_URL, 'slowly-answered');
	const beside = pull({ holder: ONE, openMs: 0, name: 'slowly-answered' });
	await until(async () => (await slow.waiting()) > 0, 'it is being answered');
	child.kill('SIGKILL');
	await exited;
	// The open pull's connection is closed; for the other one the receiver can't tell.
	await until(async () => /^receiver_pulls_open 1$/m.test(await metrics()), 'one is left');
	await slow.release();
	await beside;
	await until(async () => (await consumers())[0]?.held === false, 'it is free');
});

describe.each(HTTP_STORES)('the holder of a consumer, in $name', (kind) => {
	async function receiver() {
		const clock = new ManualClock();
		const { logger, lines } = recordedLog();
		const options = {
			folder: temporaryFolder(),
			env: await kind.environment(),
			dependencies: { clock, logger },
		};
		return { ...(await start(options)), clock, options, lines };
	}

	const untilHeld = (
		held: boolean,
		{ consumers }: Pick<Awaited<ReturnType<typeof receiver>>, 'consumers'>,
	) => until(async () => (await consumers())[0]?.held === held, held ? 'it is held' : 'it is free');

	it('is one: another n8n with the same identity is refused, and both sides say so', async () => {
		const { pull, pulled, emit, consumers, clock, lines } = await receiver();
		const since = new Date(clock.now()).toISOString();
		await pulled({ holder: ONE });
		const held = pulled({ holder: ONE, openMs: 25_000 });
		await emit(sent(1));
		const [{ id: batch }] = (await held).batches;
		clock.advance(1_000);
		for (let n = 0; n < 3; n++) {
			const refused = await pull({ holder: OTHER, name: 'Invoices' });
			expect(refused).toMatchObject({ status: 409, body: { code: HELD_BY_ANOTHER } });
			expect(refused.body.message).toContain(since);
			expect(refused.body.message).toMatch(/stop one of the two/);
		}
		expect(await consumers()).toMatchObject([{ rivalAt: new Date(clock.now()).toISOString() }]);
		// Nor does it let go of what it has not.
		await pull({ holder: OTHER, leaving: true });
		expect((await pull({ holder: OTHER, name: 'Invoices' })).status).toBe(409);
		const warnings = () => lines.filter((line) => line.includes('was refused: stop one'));
		expect(warnings()).toHaveLength(1);
		expect(warnings()[0]).toContain('Invoices');
		// It continues undisturbed, and the other one may still settle a batch.
		await pull({ holder: OTHER, settle: [{ batch, outcome: 'ack' }] });
		await emit(sent(2));
		expect((await pulled({ holder: ONE })).batches).toHaveLength(1);
		clock.advance(60_000);
		await pulled({ holder: ONE });
		await pull({ holder: OTHER });
		expect(warnings()).toHaveLength(2);
	});

	it('is free at once when its process is killed', async () => {
		const started = await receiver();
		const holder = startHolder(started.url, ONE);
		await untilHeld(true, started);
		expect((await started.pull({ holder: OTHER })).status).toBe(409);
		holder.child.kill('SIGKILL');
		await holder.exited;
		await untilHeld(false, started);
		expect((await started.pull({ holder: OTHER })).status).toBe(200);
		expect(await started.consumers()).toMatchObject([{ key: KEY, held: true, awaySince: null }]);
	});

	it('stays it while another of its pulls is open', async () => {
		const started = await receiver();
		const { pulled, pull, emit, atRest } = started;
		const asked = { holder: ONE, atOnce: 2 };
		await pulled(asked);
		await emit(sent(1));
		const [batch] = (await pulled(asked)).batches;
		const breaking = new AbortController();
		const broken = pulled({ ...asked, openMs: 25_000 }, { signal: breaking.signal });
		broken.catch(() => undefined);
		const held = pulled({ ...asked, openMs: 25_000 });
		await atRest();
		breaking.abort();
		await expect(broken).rejects.toThrow();
		await atRest();
		expect((await pull({ holder: OTHER })).status).toBe(409);
		// It pulls again, so nothing is lost when the other one ends.
		await pulled(asked);
		// What is in hand stays in hand.
		await emit(sent(2));
		const next = (await held).batches;
		expect((await pull({ holder: OTHER })).status).toBe(409);
		expect(next).toMatchObject([{ attempt: 1, events: [{ messageId: '000000000002' }] }]);
		expect(next[0].id).not.toBe(batch.id);
	});

	it('lets go when the workflow is unpublished: what it held ends, what was in hand is due', async () => {
		const started = await receiver();
		const { pull, pulled, emit, consumers, batches, clock, atRest } = started;
		await pulled({ holder: ONE, atOnce: 2 });
		await emit([sent(1), sent(2)]);
		const { batches: inHand } = await pulled({ holder: ONE, atOnce: 2 });
		const held = pulled({ holder: ONE, atOnce: 2, openMs: 25_000 });
		await atRest();
		const settle = [{ batch: inHand[0].id, outcome: 'ack' as const }];
		const last = await pulled({ holder: ONE, settle, leaving: true, openMs: 25_000 });
		expect(last.batches).toEqual([]);
		expect((await held).batches).toEqual([]);
		const awaySince = new Date(clock.now()).toISOString();
		expect(await consumers()).toMatchObject([{ held: false, awaySince }]);
		expect(await batches('done')).toHaveLength(1);
		await emit(sent(3));
		clock.advance(60_000);
		const next = await pulled({ holder: OTHER, atOnce: 3 });
		expect(next.batches.map(({ events }) => Number(events[0].messageId))).toEqual([2, 3]);
		// Whoever holds it next has done so since then, and is away only after that.
		const since = new Date(clock.now()).toISOString();
		expect((await pull({ holder: ONE })).body.message).toContain(since);
		clock.advance(60_000);
		const [gone] = await consumers();
		expect(gone.held).toBe(false);
		expect(Date.parse(String(gone.awaySince))).toBeGreaterThan(Date.parse(since));
	});

	it('is answered when the receiver stops, and goes on at the next one', async () => {
		const { pulled, emit, close, options, batches, atRest } = await receiver();
		await pulled({ holder: ONE });
		await emit(sent(1));
		const [batch] = (await pulled({ holder: ONE })).batches;
		const held = pulled({ holder: ONE, openMs: 25_000 });
		await atRest();
		await close();
		expect((await held).batches).toEqual([]);
		const second = await start(options);
		expect((await second.pull({ holder: OTHER })).status).toBe(409);
		await second.emit(sent(2));
		const settle = [{ batch: batch.id, outcome: 'ack' as const }];
		expect((await second.pulled({ holder: ONE, settle })).batches).toMatchObject([
			{ attempt: 1, events: [{ messageId: '000000000002' }] },
		]);
		expect(await second.batches('done')).toHaveLength(1);
		await expect(batches()).rejects.toThrow();
	});

	it('a consumer that is removed ends what is held, and starts over when it is pulled', async () => {
		const { pulled, emit, consumers, manage, batches, atRest } = await receiver();
		await pulled();
		await emit(sent(1));
		await pulled();
		const held = pulled({ openMs: 25_000 });
		await atRest();
		const remove = () => manage('DELETE', `/consumers/${KEY}`);
		expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
		expect((await held).batches).toEqual([]);
		expect(await consumers()).toEqual([]);
		expect(await batches('in-hand')).toEqual([]);
		await emit(sent(2));
		expect((await pulled()).batches).toEqual([]);
	});
});
