// n8n in queue mode: the main process pulls and workers run what it starts; they share only PostgreSQL
// and Redis, and any of them may be killed at any moment. One n8n for all that is to be seen there, since
// it takes long to make.
import { setTimeout as sleep } from 'node:timers/promises';

import { cleanUp, temporaryFolder, TOKEN } from '../contract/receiver/harness.ts';
import { startProcess } from '../contract/receiver/process.ts';
import type { Execution } from '../n8n/api.ts';
import type { N8nHost } from '../n8n/host.ts';
import { until } from '../n8n/poll.ts';
import { freePort } from '../n8n/port.ts';
import type { Stack } from '../n8n/stack.ts';
import { itAtNight } from '../support/ring.ts';
import { byReceiver } from '../support/sandbox.ts';
import { asleep, brief, emit, letters, publishAwaiting, woken } from './awaiting.ts';
import { report, startDesk } from './capacity.ts';
import { startFileServer, type FileServer } from './file-server.ts';
import {
	lettersOf,
	publishMailing,
	verdictsOf,
	type Mailing,
	type Verdict,
} from './keyed-mailing.ts';
import { post, startLoad } from './load.ts';
import { pause, saveScene } from './pulling.ts';
import { describeQueue, startQueue, type Queue } from './queue.ts';
import { startReceivers, type Receivers } from './receivers.ts';
import { expectEachOnce } from './witness.ts';

jest.setTimeout(300_000);

/** Send requests that an execution has in flight at once. */
const CONCURRENCY = 5;

/** How soon a worker notices that another has died; by default after half a minute. */
const NOTICING = {
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '2000',
};

describeQueue('queue mode', () => {
	let queue: Queue;
	let files: FileServer;
	let stack: Stack;
	const workers: N8nHost[] = [];

	beforeAll(async () => {
		files = await startFileServer();
		queue = await startQueue({ sandbox: { automatic: false } });
		({ stack } = queue);
	}, 600_000);

	afterAll(async () => {
		await Promise.all(workers.map((worker) => worker.stop()));
		await queue?.close();
		await files?.close();
	}, 120_000);

	async function startWorkers(count: number, env: Record<string, string> = {}) {
		const starts = Array.from({ length: count }, () => queue.startWorker({ ...NOTICING, ...env }));
		workers.push(...(await Promise.all(starts)));
	}

	async function killWorkers() {
		await Promise.all(workers.splice(0).map((worker) => worker.kill()));
	}

	describe('Send Once Key with two workers and a receiver on PostgreSQL', () => {
		let receiver: Awaited<ReturnType<typeof startProcess>>;
		let startReceiver: () => Promise<void>;
		/** Its part of a credential. */
		let keeper: object;

		beforeAll(async () => {
			const folder = temporaryFolder();
			const env = { PORT: String(await freePort()), DATABASE_URL: await queue.freshDatabase() };
			startReceiver = async () => {
				receiver = await startProcess(folder, env);
			};
			await Promise.all([startReceiver(), startSingleWorkers()]);
			keeper = byReceiver(receiver.url, TOKEN);
		}, 120_000);

		afterAll(cleanUp, 120_000);

		/** One execution at a time each, so that two executions run on two of them. */
		const startSingleWorkers = () => startWorkers(2, { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' });

		/** 200 keys that no other test uses. */
		const keysOf = (name: string) =>
			Array.from({ length: 200 }, (_, n) => `${name}-${String(n + 1).padStart(3, '0')}`);

		const publish = async (name: string, keys: string[]) => {
			const url = files.offer(keys.map((key) => ({ key })));
			return await publishMailing(stack, name, url, keeper, CONCURRENCY);
		};

		/** Makes each send request take this long. */
		async function slowDown(ms: number) {
			const where = { method: 'POST', path: '/messages/bulk_send', times: null } as const;
			await stack.sandbox.control('DELETE /faults');
			await stack.sandbox.control('POST /faults', {
				faults: [{ ...where, fault: { kind: 'delay', ms } }],
			});
		}

		/** Waits until the sandbox holds that many letters for the keys; it must not hold them all. */
		async function untilLetters(count: number, keys: string[]) {
			const held = await until(`${count} letters`, async () => {
				const { length } = [...(await lettersOf(stack, keys)).values()].flat();
				return length >= count && length;
			});
			expect(held).toBeLessThan(keys.length);
		}

		/** The mailing's keys with a send that was started but has no result yet. */
		async function keysUnderWay(mailing: string): Promise<string[]> {
			const pages = ['leaving', 'unknown'].map(async (state) => {
				const { body } = await receiver.manage('GET', `/claims?state=${state}&limit=500`);
				return body.data as Array<{ name: string }>;
			});
			const names = (await Promise.all(pages)).flat().map(({ name }) => name);
			return names.filter((name) => name.startsWith(`${mailing}-`)).sort();
		}

		async function expectNoneTwice(keys: string[]) {
			const letters = await lettersOf(stack, keys);
			expect([...letters].filter(([, ids]) => ids.length > 1)).toEqual([]);
			return letters;
		}

		/** Every letter reported as sent exists, once, under that id. */
		function expectTrue(verdicts: Verdict[], letters: Map<string, string[]>) {
			const sent = verdicts.filter(({ verdict }) => verdict === 'sent');
			expect(sent.map(({ key }) => [key, letters.get(key)])).toEqual(
				sent.map(({ key, messageId }) => [key, [messageId]]),
			);
		}

		async function expectEachOnce(keys: string[]) {
			const letters = await expectNoneTwice(keys);
			expect([...letters].filter(([, ids]) => ids.length < 1)).toEqual([]);
			return letters;
		}

		/** Both have the ids of all letters; each letter was sent by one of them, neither sent all. */
		async function expectShared([one, other]: Execution[], keys: string[]) {
			const letters = await expectEachOnce(keys);
			for (const execution of [one, other]) {
				expect(execution).toMatchObject({ status: 'success', error: null });
				const found = verdictsOf(execution, keys).map(({ key, messageId }) => [key, [messageId]]);
				expect(found).toEqual([...letters]);
			}
			const [mine, yours] = [one, other].map((execution) =>
				verdictsOf(execution, keys).map(({ isTakenOver }) => isTakenOver),
			);
			expect(mine).toEqual(yours.map((isTakenOver) => !isTakenOver));
			expect(new Set(mine).size).toBe(2);
		}

		/**
		 * A later execution waits for the dead executions' leases, reports only what they had in flight
		 * as unknown, and sends whatever has not been sent yet.
		 */
		async function expectRestToGo(mailing: Mailing, keys: string[], underWay: string[]) {
			expect(underWay).not.toEqual([]);
			await slowDown(0);
			const [later] = await mailing.execute();
			const letters = await expectNoneTwice(keys);
			expect(later).toMatchObject({ status: 'success', error: null });
			const verdicts = verdictsOf(later, keys);
			const being = (wanted: string) =>
				verdicts.flatMap(({ key, verdict }) => (verdict === wanted ? key : []));
			expect(being('unknown').sort()).toEqual(underWay);
			expect(being('not sent')).toEqual([]);
			expectTrue(verdicts, letters);
		}

		it('two executions of a workflow at once: each letter once, both know its id', async () => {
			const keys = keysOf('same');
			const mailing = await publish('One workflow', keys);
			await slowDown(100);
			await expectShared(await mailing.execute(2), keys);
		});

		it('both workers killed in mid-mailing: only what was leaving is unknown, the rest goes', async () => {
			const keys = keysOf('worker');
			const mailing = await publish('Workers killed', keys);
			await slowDown(200);
			await mailing.start(2);
			await untilLetters(50, keys);
			await killWorkers();
			await startWorkers(2);
			const underWay = await keysUnderWay('worker');
			// Of each of the two: those whose requests are out, and the next, claimed as soon as one is back.
			expect(underWay.length).toBeLessThan(2 * (20 + CONCURRENCY));
			await expectRestToGo(mailing, keys, underWay);
		});
	});

	// The receiver is two processes on PostgreSQL behind one address, taking turns.
	describe('pulling and sleeping', () => {
		let pair: Receivers;

		beforeAll(async () => {
			// Those that the last mailing has started anew run several at a time.
			if (workers.length === 0) await startWorkers(2);
			pair = await startReceivers(stack, await queue.freshDatabase());
		}, 120_000);

		afterAll(async () => {
			await pair?.close();
			await cleanUp();
		}, 120_000);

		const started = async (workflowId: string, count: number) =>
			await until(
				`${count} executions`,
				async () => (await queue.executions(workflowId)).length >= count,
			);

		it('each event starts one execution on a worker, over kills of main, worker and receiver', async () => {
			const options = { batchSize: 5, maxConcurrentExecutions: 10 };
			const work = { options, nodes: [pause(1)] };
			const workflow = await saveScene(stack, 'Workers', 'Workers', work);
			await stack.activate(workflow);
			const load = startLoad(stack, 'Workers', 20);
			await started(workflow.id, 15);
			await workers.shift()?.kill();
			await started(workflow.id, 30);
			pair.receivers[0].child.kill('SIGKILL');
			await pair.receivers[0].exited;
			await sleep(500);
			await pair.start(0);
			await started(workflow.id, 45);
			await stack.n8n.kill();
			await stack.startN8n();
			await startWorkers(1);
			const acknowledged = await load.stop();
			await stack.receiverApi.untilHeld(workflow.id, 1);
			await stack.receiverApi.untilDrained(workflow.id, 180);
			const stored = await queue.executions(workflow.id);
			const { events, executions } = await expectEachOnce(stack, {
				workflowId: workflow.id,
				reference: 'Workers',
				acknowledged,
				stored,
			});
			expect(events).toBeGreaterThan(100);
			// At most those of the killed worker; retrying them is up to the user, and n8n does not.
			const crashed = executions.filter(({ status }) => status !== 'success');
			expect(crashed.length).toBeLessThanOrEqual(options.maxConcurrentExecutions);
			await stack.deactivate(workflow);
		});

		// n8n stores the failure in place of the events, once another worker notices.
		itAtNight(
			'an execution whose worker died is dead, and runs once it is handed out again',
			async () => {
				const desk = await startDesk();
				const work = { nodes: [report(desk, 'Report'), pause(5)] };
				const workflow = await saveScene(stack, 'Worker died', 'Worker died', work);
				await stack.activate(workflow);
				await post(stack, 'Worker died', 1);
				await until('the execution to run', async () => desk.reports.length === 1);
				await killWorkers();
				await startWorkers(2);
				const consumer = async () => (await stack.receiverApi.consumersOf(workflow.id))[0];
				await until('the batch to be dead', async () => (await consumer()).dead === 1);
				const { data } = await stack.receiverApi.call<{ data: Array<{ reason: string }> }>(
					'GET',
					'/batches?state=dead',
				);
				expect(data[0].reason).toMatch(/^n8n failed the execution and stored none of its events/);
				await stack.receiverApi.call('POST', '/batches/retry?state=dead');
				await stack.receiverApi.untilDrained(workflow.id);
				const executions = await queue.executions(workflow.id);
				expect(executions.map(({ status, started }) => [status, started.length])).toEqual([
					['error', 0],
					['success', 1],
				]);
				expect(await consumer()).toMatchObject({ dead: 0 });
				await stack.deactivate(workflow);
				await desk.close();
			},
		);

		it('sleeps in a worker, is woken through the main process, each letter paired with its item', async () => {
			const [a, b, c] = letters('a', 'b', 'c');
			const { fallAsleep } = await publishAwaiting(stack, 'Queue');
			const [id] = await fallAsleep(files.offer([a, b, c]));
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
	});
});
