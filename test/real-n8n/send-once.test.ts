// Send Once Key with n8n in queue mode: two workers share only the receiver that keeps the keys,
// and any of them may be killed at any moment.
import { cleanUp, temporaryFolder, TOKEN } from '../contract/receiver/harness.ts';
import { startProcess } from '../contract/receiver/process.ts';
import type { Execution } from '../n8n/api.ts';
import type { N8nHost } from '../n8n/host.ts';
import { until } from '../n8n/poll.ts';
import { freePort } from '../n8n/port.ts';
import type { Stack } from '../n8n/stack.ts';
import { control } from '../support/sandbox.ts';
import { startJsonServer, type JsonServer } from './json-server.ts';
import {
	lettersOf,
	publishMailing,
	verdictsOf,
	type Mailing,
	type MailingOptions,
	type Verdict,
} from './keyed-mailing.ts';
import { describeQueue, startQueue, type Queue } from './queue.ts';

jest.setTimeout(300_000);

/** Send requests that an execution has in flight at once. */
const CONCURRENCY = 5;

describeQueue('Send Once Key with two workers and a receiver on PostgreSQL', () => {
	let queue: Queue;
	let stack: Stack;
	let json: JsonServer;
	let workers: N8nHost[] = [];
	let receiver: Awaited<ReturnType<typeof startProcess>>;
	let startReceiver: () => Promise<void>;
	/** Id of its credential in n8n. */
	let keeper: string;

	beforeAll(async () => {
		json = await startJsonServer();
		queue = await startQueue({ sandbox: { automatic: false } });
		({ stack } = queue);
		const folder = temporaryFolder();
		const env = { PORT: String(await freePort()), DATABASE_URL: await queue.freshDatabase() };
		startReceiver = async () => {
			receiver = await startProcess(folder, env);
		};
		await Promise.all([startReceiver(), startWorkers()]);
		keeper = await stack.api.saveCredential('Keeper', 'registeredDeliveryReceiverApi', {
			receiverUrl: receiver.url,
			managementToken: TOKEN,
		});
	}, 600_000);

	afterAll(async () => {
		await Promise.all(workers.map((worker) => worker.stop()));
		await cleanUp();
		await queue?.close();
		await json?.close();
	}, 120_000);

	/** One execution at a time each, so that two executions run on two of them. */
	async function startWorkers() {
		const start = () => queue.startWorker({ N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' });
		workers = await Promise.all([start(), start()]);
	}

	async function killWorkers() {
		for (const { pid } of workers) process.kill(-pid, 'SIGKILL');
		await Promise.all(workers.map((worker) => worker.stop()));
	}

	async function killReceiver() {
		receiver.child.kill('SIGKILL');
		await receiver.exited;
	}

	/** 200 keys that no other test uses. */
	const keysOf = (name: string) =>
		Array.from({ length: 200 }, (_, n) => `${name}-${String(n + 1).padStart(3, '0')}`);

	const publish = (name: string, keys: string[], options: MailingOptions = { receiver: keeper }) =>
		publishMailing(stack, name, json.offer(keys.map((key) => ({ key }))), {
			...options,
			options: { concurrency: CONCURRENCY, ...options.options },
		});

	/** Makes each send request take this long. */
	async function slowDown(ms: number) {
		const where = { method: 'POST', path: '/messages/bulk_send', times: null };
		await control(stack.sandbox, 'DELETE', '/faults');
		await control(stack.sandbox, 'POST', '/faults', {
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

	it('two workflows at once, their keys in requests of different sizes: each letter once', async () => {
		const keys = keysOf('two');
		const grouped = (most: number) => ({
			receiver: keeper,
			options: { groupRecipients: true, maxRecipientsPerRequest: most },
		});
		const mailings = [
			await publish('Seven in a request', keys, grouped(7)),
			await publish('Ten in a request', keys, grouped(10)),
		];
		await slowDown(100);
		const executions = await Promise.all(mailings.map((mailing) => mailing.execute()));
		await expectShared(executions.flat(), keys);
	});

	it('both workers killed in mid-mailing: only what was leaving is unknown, the rest goes', async () => {
		const keys = keysOf('worker');
		const mailing = await publish('Workers killed', keys);
		await slowDown(200);
		await mailing.start(2);
		await untilLetters(50, keys);
		await killWorkers();
		await startWorkers();
		const underWay = await keysUnderWay('worker');
		expect(underWay.length).toBeLessThanOrEqual(2 * CONCURRENCY);
		await expectRestToGo(mailing, keys, underWay);
	});

	// First briefly, which the retries bridge; then until both executions have ended without it.
	it('the receiver killed twice in mid-claim: none twice, a later execution sends what is left', async () => {
		const keys = keysOf('receiver');
		const mailing = await publish('Receiver killed', keys, {
			receiver: keeper,
			options: { groupRecipients: true, maxRecipientsPerRequest: 10, concurrency: 2 },
		});
		await slowDown(1000);
		const ids = await mailing.start(2);
		await untilLetters(10, keys);
		await killReceiver();
		await startReceiver();
		await untilLetters(80, keys);
		await until('claims under way', async () => (await keysUnderWay('receiver')).length > 0);
		await killReceiver();
		const both = await Promise.all(ids.map((id) => stack.api.finished(id, 240_000)));
		await startReceiver();
		const underWay = await keysUnderWay('receiver');
		const letters = await expectNoneTwice(keys);
		for (const verdicts of both.map((execution) => verdictsOf(execution, keys))) {
			expectTrue(verdicts, letters);
			for (const { key, verdict, error } of verdicts) {
				if (verdict === 'not sent') expect(error).toBe('The webhook receiver cannot be reached');
				if (verdict === 'unknown') expect(underWay).toContain(key);
			}
		}
		await expectRestToGo(mailing, keys, underWay);
	});

	it('without a receiver the execution says how far keys hold', async () => {
		const mailing = await publish('No receiver', ['alone-1'], {});
		const [execution] = await mailing.execute();
		expect(execution.raw).toContain('holds within this node and one n8n process');
	});
});
