// n8n at its concurrency limit: it holds what it cannot run yet, and drops none of it.
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { allAtNight } from '../support/ring.ts';
import { asleep, brief, emit, letters, saveAwaiting, untilAsleep, waitOf } from './awaiting.ts';
import { pairs, publishTwoWaits, startDesk, takeCapacity, type Desk } from './capacity.ts';
import { startJsonServer, type JsonServer } from './json-server.ts';

jest.setTimeout(400_000);

let stack: Stack;
let json: JsonServer;
let desk: Desk;

beforeAll(async () => {
	json = await startJsonServer();
	desk = await startDesk();
	stack = await startTemporaryStack({ ownProcesses: true, n8nEnv: env });
}, 300_000);

afterAll(async () => {
	desk?.close();
	await stack?.close();
	await json?.close();
}, 60_000);

const env = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' };

/** n8n reads its variables when it starts. */
async function limitTo(limit: number): Promise<void> {
	if (env.N8N_CONCURRENCY_PRODUCTION_LIMIT === String(limit)) return;
	env.N8N_CONCURRENCY_PRODUCTION_LIMIT = String(limit);
	await stack.restartN8n();
}

const fillUp = (limit: number) => takeCapacity(stack, desk, limit);
const publishTwo = (name: string) => publishTwoWaits(stack, desk, name);

const midRuns = (id: string) => desk.reports.filter((one) => one === id).length;

async function waitIdOf(id: string): Promise<string> {
	return (await asleep(stack, id)).waitId;
}

async function isInProgress(waitId: string): Promise<boolean> {
	return (await waitOf(stack, waitId)).state === 'in-hand';
}

/** Until each sleeps in Second, and stays there although all that was open has been let in. */
async function untilSecond(ids: string[], firstWaits: string[]): Promise<void> {
	for (const [n, id] of ids.entries()) {
		await until('it to sleep in Second', async () => {
			if (midRuns(id) === 0) return false;
			await untilAsleep(stack, id);
			return (await waitOf(stack, firstWaits[n])).state === 'done';
		});
	}
}

it.each(
	allAtNight(
		// Longer than any lease, and than proxies and senders have patience.
		[1, 65],
		[2, 25],
		[5, 25],
	),
)(
	'limit %i, all of it taken for %i s: each execution goes on once, from First and from Second',
	async (limit, seconds) => {
		await limitTo(limit);
		const { workflow, fallAsleep } = await publishTwo(`Limit ${limit}`);
		const all = pairs(3);
		const ids = await fallAsleep(...all.map((one) => json.offer([one])));
		const waits = await Promise.all(ids.map(waitIdOf));
		await fillUp(limit);
		await emit(stack, 'opened', ...all.map(({ messageId }) => messageId));
		for (const wait of waits) await until('it to be in hand', async () => await isInProgress(wait));
		const began = Date.now();
		await until('the time to pass', async () => Date.now() - began > seconds * 1000, 90);
		for (const wait of waits) {
			expect(await waitOf(stack, wait)).toMatchObject({ state: 'in-hand', attempts: 1 });
		}
		expect(ids.map(midRuns)).toEqual([0, 0, 0]);
		desk.release();
		await untilSecond(ids, waits);
		expect(ids.map(midRuns)).toEqual([1, 1, 1]);
		await emit(stack, 'opened', ...all.map(({ then }) => then));
		for (const id of ids)
			expect(await stack.api.finished(id, 120_000)).toMatchObject({ error: null });
		expect(ids.map(midRuns)).toEqual([1, 1, 1]);
		expect(await stack.api.executionIds(workflow.id)).toEqual(ids);
		await stack.api.deactivate(workflow.id);
	},
);

it('who posts without its secret changes nothing; a run by hand goes on', async () => {
	await limitTo(1);
	const { workflow, fallAsleep } = await publishTwo('Impatient');
	const [one] = pairs(1);
	const [id] = await fallAsleep(json.offer([one]));
	const { waitId, url } = await asleep(stack, id);
	await fillUp(1);
	await emit(stack, 'opened', one.messageId);
	await until('it to be in hand', async () => await isInProgress(waitId));
	const body = JSON.stringify({ waitId, secret: 'guessed', reason: 'complete', outcomes: [{}] });
	const headers = { 'content-type': 'application/json' };
	const refused = await fetch(url, { method: 'POST', headers, body });
	expect(refused.status).toBe(401);
	// n8n's limit is for what runs in production.
	const [manual] = letters('manual');
	const byHand = await stack.api.start(await saveAwaiting(stack, 'By hand', json.offer([manual])));
	await untilAsleep(stack, byHand);
	await emit(stack, 'opened', manual.messageId);
	expect(brief(await stack.api.finished(byHand))).toEqual([['Opened', 'manual', 'opened']]);
	desk.release();
	await untilSecond([id], [waitId]);
	expect(midRuns(id)).toBe(1);
	await stack.api.deactivate(workflow.id);
});

it('n8n is killed while it holds what it accepted: the next process accepts it, and it goes on once', async () => {
	await limitTo(1);
	const { workflow, fallAsleep } = await publishTwo('Killed');
	const all = pairs(3);
	const ids = await fallAsleep(...all.map((one) => json.offer([one])));
	const waits = await Promise.all(ids.map(waitIdOf));
	const fill = await fillUp(1);
	await emit(stack, 'opened', ...all.map(({ messageId }) => messageId));
	for (const wait of waits) await until('it to be in hand', async () => await isInProgress(wait));
	await stack.n8n.kill();
	await until('what was held to be gone', async () => desk.held.size === 0);
	await stack.passLeases();
	await stack.startN8n();
	await fill();
	expect(ids.map(midRuns)).toEqual([0, 0, 0]);
	for (const wait of waits) {
		await until('it to be in hand again', async () => await isInProgress(wait), 120);
	}
	desk.release();
	await untilSecond(ids, waits);
	expect(ids.map(midRuns)).toEqual([1, 1, 1]);
	await stack.api.deactivate(workflow.id);
});
