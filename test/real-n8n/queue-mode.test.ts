// n8n in queue mode: the main process pulls and workers run what it starts; they share only
// PostgreSQL and Redis. The receiver is two processes on PostgreSQL behind one address, taking
// turns.
import { setTimeout as sleep } from 'node:timers/promises';

import { cleanUp } from '../contract/receiver/harness.ts';
import type { N8nHost } from '../n8n/host.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { asleep, brief, emit, letters, publishAwaiting, woken } from './awaiting.ts';
import { startJsonServer, type JsonServer } from './json-server.ts';
import { post, startLoad } from './load.ts';
import { pause, saveScene } from './pulling.ts';
import { describeQueue, startQueue, type Queue } from './queue.ts';
import { startReceivers, type Receivers } from './receivers.ts';
import { startTally } from './tally.ts';
import { expectEachOnce } from './witness.ts';

jest.setTimeout(300_000);

describeQueue('queue mode', () => {
	let queue: Queue;
	let json: JsonServer;
	let stack: Stack;
	let workers: N8nHost[] = [];
	let pair: Receivers;

	beforeAll(async () => {
		json = await startJsonServer();
		queue = await startQueue();
		({ stack } = queue);
		workers = await Promise.all([queue.startWorker(), queue.startWorker()]);
		pair = await startReceivers(stack, await queue.freshDatabase());
	}, 600_000);

	afterAll(async () => {
		await Promise.all(workers.map((worker) => worker.stop()));
		await queue?.close();
		await pair?.close();
		await cleanUp();
		await json?.close();
	}, 120_000);

	const started = async (workflowId: string, count: number) =>
		await until(
			`${count} executions`,
			async () => (await queue.executions(workflowId)).length >= count,
		);

	it('each event starts one execution on a worker, over kills of main, worker and receiver', async () => {
		const options = { batchSize: 5, atOnce: 10 };
		const work = { options, nodes: [pause(1)] };
		const workflow = await saveScene(stack, 'Workers', 'Workers', work);
		await stack.activate(workflow);
		const load = startLoad(stack, 'Workers', 20);
		await started(workflow.id, 15);
		await workers[0].kill();
		await started(workflow.id, 30);
		pair.receivers[0].child.kill('SIGKILL');
		await pair.receivers[0].exited;
		await sleep(500);
		await pair.start(0);
		await started(workflow.id, 45);
		await stack.n8n.kill();
		await stack.startN8n();
		workers[0] = await queue.startWorker();
		const acknowledged = await load.stop();
		await stack.receiverApi.untilHeld(workflow.id, 1);
		await stack.receiverApi.untilDrained(workflow.id, 180);
		const stored = await queue.executions(workflow.id);
		const { events, executions } = await expectEachOnce(stack, {
			...{ workflowId: workflow.id, reference: 'Workers', acknowledged, stored },
		});
		expect(events).toBeGreaterThan(100);
		// At most those of the killed worker; retrying them is up to the user, and n8n does not.
		const crashed = executions.filter(({ status }) => status !== 'success');
		expect(crashed.length).toBeLessThanOrEqual(options.atOnce);
		await stack.deactivate(workflow);
	});

	// n8n stores the failure in place of the events, once another worker notices.
	it('an execution whose worker died is dead, and runs once it is handed out again', async () => {
		const tally = await startTally();
		const quickly = {
			QUEUE_WORKER_LOCK_DURATION: '3000',
			QUEUE_WORKER_LOCK_RENEW_TIME: '1000',
			QUEUE_WORKER_STALLED_INTERVAL: '1000',
		};
		await Promise.all(workers.map((worker) => worker.stop()));
		workers = [await queue.startWorker(quickly)];
		const work = { nodes: [tally.node, pause(5)] };
		const workflow = await saveScene(stack, 'Worker died', 'Worker died', work);
		await stack.activate(workflow);
		await post(stack, 'Worker died', 1);
		await until('the execution to run', async () => tally.counts.size === 1);
		await workers[0].kill();
		workers = [await queue.startWorker(quickly)];
		const consumer = async () => (await stack.receiverApi.consumersOf(workflow.id))[0];
		await until('the batch to be dead', async () => (await consumer()).dead === 1);
		const { data } = await stack.receiverApi.call<{ data: Array<{ reason: string }> }>(
			'GET',
			'/deliveries?state=dead',
		);
		expect(data[0].reason).toMatch(/^n8n failed the execution and stored none of its events/);
		await stack.receiverApi.call('POST', '/deliveries/retry?state=dead');
		await stack.receiverApi.untilDrained(workflow.id);
		const executions = await queue.executions(workflow.id);
		expect(executions.map(({ status, started }) => [status, started.length])).toEqual([
			['error', 0],
			['success', 1],
		]);
		expect(await consumer()).toMatchObject({ dead: 0 });
		await stack.deactivate(workflow);
		workers.push(await queue.startWorker());
		await tally.close();
	});

	it('of two main processes one pulls; when it is killed the other takes over', async () => {
		const workflow = await saveScene(stack, 'Two mains', 'Mains', { options: { atOnce: 5 } });
		await stack.activate(workflow);
		const second = await queue.startSecondMain();
		try {
			const before = await post(stack, 'Mains', 10);
			await started(workflow.id, 10);
			await until('the second to be refused', async () => {
				const [consumer] = await stack.receiverApi.consumersOf(workflow.id);
				return consumer.rivalAt !== null;
			});
			await stack.n8n.kill();
			const after = await post(stack, 'Mains', 10);
			await started(workflow.id, 20);
			await stack.receiverApi.untilDrained(workflow.id, 60);
			const stored = await queue.executions(workflow.id);
			const acknowledged = new Set([...before, ...after]);
			await expectEachOnce(stack, {
				...{ workflowId: workflow.id, reference: 'Mains', acknowledged, stored },
			});
		} finally {
			await second.stop();
			await stack.startN8n();
		}
		await stack.deactivate(workflow);
	});

	it('sleeps in a worker, is woken through the main process, each letter paired with its item', async () => {
		const [a, b, c] = letters('a', 'b', 'c');
		const { fallAsleep } = await publishAwaiting(stack, 'Queue');
		const [id] = await fallAsleep(json.offer([a, b, c]));
		const { waitId } = await asleep(stack, id);
		await emit(stack, 'failed', a.messageId);
		await emit(stack, 'opened', b.messageId, c.messageId);
		const execution = await woken(stack, id, waitId);
		expect(execution).toMatchObject({ status: 'success', error: null, mode: 'webhook' });
		expect(brief(execution)).toEqual([
			['Opened', 'b', 'opened'],
			['Opened', 'c', 'opened'],
			['Expired', 'a', 'failed'],
		]);
	});

	// The workers are back before the outcomes come: n8n 2.41 treats an execution that should resume
	// while they are away as one that crashed with them.
	it('sleeps over kills of all', async () => {
		const [a, b, c] = letters('a', 'b', 'c');
		const { fallAsleep } = await publishAwaiting(stack, 'Queue, kills');
		const [id] = await fallAsleep(json.offer([a, b, c]));
		const { waitId } = await asleep(stack, id);
		for (const worker of workers) await worker.kill();
		await stack.n8n.kill();
		for (const { child } of pair.receivers) child.kill('SIGKILL');
		for (const index of [0, 1]) await pair.start(index);
		const both = Promise.all([queue.startWorker(), queue.startWorker()]);
		await stack.startN8n();
		workers = await both;
		await emit(stack, 'opened', c.messageId);
		await emit(stack, 'failed', b.messageId, a.messageId);
		const execution = await woken(stack, id, waitId);
		expect(execution.error).toBe(null);
		expect(brief(execution)).toEqual([
			['Opened', 'c', 'opened'],
			['Expired', 'a', 'failed'],
			['Expired', 'b', 'failed'],
		]);
	});
});
