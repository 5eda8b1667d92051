// Settings of n8n's that change which process or engine runs what: Await Outcome, followed by a receiver and
// by n8n itself, and both triggers, with each of them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { poster } from '../contract/receiver/watching/poster.ts';
import type { StoredWorkflow } from '../n8n/api.ts';
import type { N8nHost } from '../n8n/host.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { startProxy } from '../support/proxy.ts';
import {
	asleep,
	awaitOutcome,
	brief,
	emit,
	letters,
	publishAwaiting,
	saveAwaiting,
	untilAsleep,
	woken,
} from './awaiting.ts';
import { opened, postDirect, publishDirect, saveDirect } from './direct.ts';
import { startFileServer, type FileServer } from './file-server.ts';
import { followedByN8n } from './follow.ts';
import { post } from './load.ts';
import { saveScene } from './pulling.ts';
import { describeQueue, startQueue } from './queue.ts';

jest.setTimeout(300_000);

interface Running {
	stack: Stack;
	close(): Promise<void>;
}

type Start = () => Promise<Running>;

const inOneProcess =
	(n8nEnv: Record<string, string>): Start =>
	async () => {
		const stack = await startTemporaryStack({ n8nEnv, sandbox: { automatic: false } });
		return { stack, close: () => stack.close() };
	};

/** Main process and worker; with a webhook process, all three behind one address, as n8n's docs say. */
const inQueueMode =
	(env: Record<string, string>, hasWebhookProcess = false): Start =>
	async () => {
		let main = '';
		let webhook: N8nHost | undefined;
		const isWebhook = (path: string) => /^\/webhook(-waiting)?\//.test(path);
		const front = await startProxy({
			targets: (path) => [webhook && isWebhook(path) ? webhook.url : main],
		});
		const n8nEnv = { ...env, N8N_WEBHOOK_URL: `${front.url}/` };
		const queue = await startQueue({ n8nEnv, sandbox: { automatic: false } });
		const { stack } = queue;
		main = stack.n8n.url;
		const beside: N8nHost[] = [];
		const close = async () => {
			await Promise.all(beside.map((one) => one.stop()));
			await queue.close();
			await front.close();
		};
		try {
			beside.push(await queue.startWorker(n8nEnv));
			if (hasWebhookProcess) {
				webhook = await queue.startWorker(n8nEnv, 'webhook');
				beside.push(webhook);
				// Its own answer would be that none is registered there.
				expect(await (await fetch(`${main}/webhook/none`)).text()).toContain('Cannot GET');
			}
		} catch (error) {
			await close();
			throw error;
		}
		stack.n8n = { ...stack.n8n, url: front.url };
		return { stack, close };
	};

const MANUAL_ON_WORKERS = 'manual runs on workers';

const SETTINGS: ReadonlyArray<[name: string, describe: typeof describeQueue, start: Start]> = [
	[MANUAL_ON_WORKERS, describeQueue, inQueueMode({ OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true' })],
	[
		'production webhooks in a process of their own',
		describeQueue,
		inQueueMode({ N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true' }, true),
	],
	['expressions by legacy', describe, inOneProcess({ N8N_EXPRESSION_ENGINE: 'legacy' })],
	['expressions by vm', describe, inOneProcess({ N8N_EXPRESSION_ENGINE: 'vm' })],
	['expressions by quickjs', describe, inOneProcess({ N8N_EXPRESSION_ENGINE: 'quickjs' })],
];

for (const [name, describeHere, start] of SETTINGS) {
	describeHere(name, () => {
		let running: Running;
		let stack: Stack;
		let files: FileServer;
		let service: ReturnType<typeof poster>;

		beforeAll(async () => {
			files = await startFileServer();
			running = await start();
			({ stack } = running);
			service = poster(stack.sandbox);
		}, 600_000);

		afterAll(async () => {
			await running?.close();
			await files?.close();
		}, 120_000);

		/** A letter at the service. */
		async function sent() {
			const recipients = [{ email: 'reader@x.example', firstname: 'Ada', lastname: 'Martin' }];
			const letter = { type: 'LRE', body: '<p>Dear reader</p>', recipients };
			return { name: 'a', messageId: await service.send(letter), type: 'LRE' };
		}

		const accept = async ({ messageId }: { messageId: string }) =>
			await stack.sandbox.control('POST /messages/{id}/{trigger}', {
				id: messageId,
				trigger: 'accept',
			});

		/** The one execution of the workflow that is not among those. */
		const next = async ({ id }: StoredWorkflow, known: string[] = []) =>
			await until('an execution', async () => {
				const ids = await stack.api.executionIds(id);
				return ids.find((one) => !known.includes(one));
			}).then((one) => stack.api.finished(one));

		it('followed by a receiver: sleeps and is woken, also when it was started by hand', async () => {
			const [a, b] = letters('a', 'b');
			const [id] = await (await publishAwaiting(stack, 'Published')).fallAsleep(files.offer([a]));
			const { waitId } = await asleep(stack, id);
			await emit(stack, 'opened', a.messageId);
			expect(brief(await woken(stack, id, waitId))).toEqual([['Opened', 'a', 'opened']]);

			const byHand = await stack.api.start(await saveAwaiting(stack, 'By hand', files.offer([b])));
			const { waitId: ofByHand } = await asleep(stack, byHand);
			if (name === MANUAL_ON_WORKERS) {
				const log = await readFile(join(stack.n8n.userFolder, 'n8n-worker.log'), 'utf8');
				expect(log).toContain(`started execution ${byHand} `);
			}
			await emit(stack, 'failed', b.messageId);
			expect(brief(await woken(stack, byHand, ofByHand))).toEqual([['Expired', 'b', 'failed']]);
		});

		it('followed by n8n itself: sleeps and is woken, also when it was started by hand', async () => {
			const [a, b] = [await sent(), await sent()];
			const wait = await followedByN8n(stack);
			const { workflow, fallAsleep } = await publishAwaiting(stack, 'Followed', wait);
			const [id] = await fallAsleep(files.offer([a]));
			await accept(a);
			expect(brief(await woken(stack, id))).toEqual([['Accepted', 'a', 'accepted']]);
			await stack.api.deactivate(workflow.id);

			const unpublished = { ...awaitOutcome(), credentials: wait.credentials };
			const byHand = await stack.api.start(
				await saveAwaiting(stack, 'Followed, by hand', files.offer([b]), unpublished),
			);
			await untilAsleep(stack, byHand);
			await accept(b);
			expect(brief(await woken(stack, byHand))).toEqual([['Accepted', 'a', 'accepted']]);
		});

		it('the trigger pulls, published and tried out', async () => {
			const workflow = await saveScene(stack, 'Trigger', 'Trigger');
			await stack.activate(workflow);
			await post(stack, 'Trigger', 1);
			const first = await next(workflow);
			expect(first).toMatchObject({ status: 'success', error: null, mode: 'trigger' });
			expect(first.output.Note[0].json).toMatchObject({ note: 'tracked_mail.sent' });
			await stack.deactivate(workflow);

			await stack.api.listen(workflow, 'Trigger');
			await until('the test run to listen', async () =>
				(await stack.receiverApi.consumersOf(workflow.id, 'test')).some(({ held }) => held),
			);
			await post(stack, 'Trigger', 1);
			const tried = await next(workflow, [first.id]);
			expect(tried).toMatchObject({ status: 'success', error: null, mode: 'manual' });
			expect(tried.output.Note[0].json).toMatchObject({ note: 'tracked_mail.sent' });
		});

		it('the Direct Trigger is posted to, published and tried out', async () => {
			const { workflow, url } = await publishDirect(stack, 'Direct');
			expect(await (await postDirect(url, opened('once'))).json()).toMatchObject({ accepted: 1 });
			expect(await next(workflow)).toMatchObject({ status: 'success', mode: 'webhook' });

			const { workflow: unpublished, testUrl } = await saveDirect(stack, 'Direct, tried out');
			await stack.api.listen(unpublished, 'Registered Delivery Trigger');
			expect((await postDirect(testUrl, opened('tried'))).status).toBe(200);
			expect(await next(unpublished)).toMatchObject({ status: 'success', mode: 'manual' });
		});
	});
}
