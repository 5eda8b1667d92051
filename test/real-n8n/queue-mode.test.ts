// Await Outcome with n8n in queue mode: what a workflow does happens in a worker, while the outcomes
// come to the main process; they share PostgreSQL and Redis, and nothing else.
import type { N8nHost } from '../n8n/host.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { awaitOutcome, emit, left, saveAwaiting, untilAsleep } from './awaiting.ts';
import { startJsonServer, type JsonServer } from './json-server.ts';
import { describeQueue, startQueue, type Queue } from './queue.ts';
import { node } from './workflows.ts';

jest.setTimeout(300_000);

describeQueue('queue mode', () => {
	let queue: Queue;
	let json: JsonServer;
	let stack: Stack;
	let worker: N8nHost;

	beforeAll(async () => {
		json = await startJsonServer();
		queue = await startQueue();
		({ stack } = queue);
		worker = await queue.startWorker();
	}, 600_000);

	afterAll(async () => {
		await worker?.stop();
		await queue?.close();
		await json?.close();
	}, 120_000);

	/** A workflow that starts in production, so that its executions go to the worker. */
	async function publish(name: string, letters: object[]) {
		const path = crypto.randomUUID();
		const hook = node(
			'Start',
			'n8n-nodes-base.webhook',
			2,
			{ path, httpMethod: 'POST', responseMode: 'onReceived', options: {} },
			{ webhookId: path },
		);
		const workflow = await saveAwaiting(
			stack,
			name,
			json.offer(letters),
			awaitOutcome(),
			(nodes) => void nodes.splice(0, 1, { ...hook, position: [0, 0] }),
		);
		await stack.api.activate(workflow.id);
		await until('an execution', async () => {
			const answer = await fetch(`${stack.n8n.url}/webhook/${path}`, { method: 'POST' });
			return answer.ok;
		});
		const id = await until(
			'the execution',
			async () => (await stack.api.executionIds(workflow.id))[0],
		);
		await untilAsleep(stack, id, 120);
		return id;
	}

	const letters = (first: number) =>
		['a', 'b', 'c'].map((name, n) => ({
			...{ name, type: 'AES', messageId: String(first + n).padStart(12, '0') },
		}));

	it('sleeps in the worker, is woken through the main process, each letter paired with its item', async () => {
		const all = letters(1);
		const id = await publish('Queue', all);
		const [a, b, c] = all.map(({ messageId }) => messageId);
		await emit(stack, 'failed', a);
		await emit(stack, 'opened', b, c);
		const execution = await stack.api.finished(id, 120_000);
		expect(execution).toMatchObject({ status: 'success', error: null, mode: 'webhook' });
		expect(left(execution)).toMatchObject([
			{ by: 'Opened', paired: 'b', name: 'b' },
			{ by: 'Opened', paired: 'c', name: 'c' },
			{ by: 'Expired', paired: 'a', name: 'a', outcome: 'failed' },
		]);
	});

	// The worker is back before the outcomes come: n8n 2.41 takes an execution that was to be resumed
	// while its worker was away for one that crashed with it.
	it('over a restart of both', async () => {
		const all = letters(11);
		const id = await publish('Queue, restarts', all);
		await worker.stop();
		await stack.restartN8n();
		worker = await queue.startWorker();
		const [a, b, c] = all.map(({ messageId }) => messageId);
		await emit(stack, 'opened', c);
		await emit(stack, 'failed', b, a);
		const execution = await stack.api.finished(id, 180_000);
		expect(execution.error).toBe(null);
		expect(left(execution)).toMatchObject([
			{ by: 'Opened', paired: 'c' },
			{ by: 'Expired', paired: 'a' },
			{ by: 'Expired', paired: 'b' },
		]);
	});
});
