// What it costs n8n to follow a thousand sleeping executions itself, each with a letter of its own.
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { processorSeconds } from '../bench/parts/program.ts';
import { poster } from '../contract/receiver/watching/poster.ts';
import { root } from '../n8n/folders.ts';
import { until } from '../n8n/poll.ts';
import { sandboxState } from '../support/sandbox.ts';
import { brief, publishAwaiting, woken } from './awaiting.ts';
import { followedByN8n } from './follow.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(1_800_000);

const SLEEPERS = 1000;
const SECONDS = 60;

/** A day and more after they were sent, as most of those that sleep for weeks. */
const LATER_MS = 25 * 3_600_000;

const env = {
	NODE_OPTIONS: `--require ${join(root, 'test', 'n8n', 'later-clock.cjs')}`,
	CLOCK_AHEAD: '0',
};

let service: ReturnType<typeof poster>;

useStack({ sandbox: { automatic: false }, n8nEnv: env });

beforeAll(async () => {
	service = poster(stack.sandbox);
}, 300_000);

/** What n8n takes while nothing happens: percent of a core, and MB of its heap once garbage is collected. */
async function measured(): Promise<{ share: number; memory: number }> {
	const processorTime = () => processorSeconds(Number(stack.n8n.pid));
	const before = processorTime();
	await sleep(SECONDS * 1000);
	const share = ((processorTime() - before) / SECONDS) * 100;
	return { share, memory: (await heapInUse()) / 1e6 };
}

/** Node opens its inspector when it is asked to by this signal. */
async function heapInUse(): Promise<number> {
	process.kill(Number(stack.n8n.pid), 'SIGUSR1');
	const list = async () => await fetch('http://127.0.0.1:9229/json/list').catch(() => null);
	await until('the inspector', async () => (await list())?.ok === true, 20);
	const [{ webSocketDebuggerUrl }] = (await (await list())?.json()) as Array<
		Record<'webSocketDebuggerUrl', string>
	>;
	const socket = new WebSocket(webSocketDebuggerUrl);
	await once(socket, 'open');
	const ask = async (id: number, method: string) => {
		socket.send(JSON.stringify({ id, method }));
		const [{ data }] = (await once(socket, 'message')) as [MessageEvent<string>];
		return (JSON.parse(data) as { result: { usedSize: number } }).result;
	};
	await ask(1, 'HeapProfiler.collectGarbage');
	const { usedSize } = await ask(2, 'Runtime.getHeapUsage');
	socket.close();
	return usedSize;
}

/** Starts n8n anew at the later time, and waits until it has asked for all letters. */
async function restartLater(sleepers: number): Promise<void> {
	env.CLOCK_AHEAD = String(LATER_MS);
	await stack.n8n.stop();
	await stack.sandbox.control('DELETE /requests');
	await stack.startN8n();
	const isAsked = async () => (await sandboxState(stack.sandbox)).requests.length >= sleepers;
	await until('all letters to be asked for', isAsked, 600);
	await sleep(10_000);
}

it('a thousand that sleep cost less than 1 % of a core and 20 MB; each leaves once', async () => {
	const recipients = [{ email: 'reader@x.example', firstname: 'Ada', lastname: 'Martin' }];
	const messageIds: string[] = [];
	for (let n = 0; n < SLEEPERS; n++) {
		messageIds.push(await service.send({ type: 'LRE', body: '<p>Dear reader</p>', recipients }));
	}
	const wait = await followedByN8n(stack, { deadlineAmount: 30, deadlineUnit: 'days' });
	const { fallAsleep } = await publishAwaiting(stack, 'Thousand', wait);
	const urls = messageIds.map((messageId) => files.offer([{ name: 'a', messageId, type: 'LRE' }]));
	const ids = await fallAsleep(urls[0]);
	await restartLater(1);
	const alone = await measured();
	env.CLOCK_AHEAD = '0';
	await stack.restartN8n();
	ids.push(...(await fallAsleep(...urls.slice(1))));
	await restartLater(SLEEPERS);
	const all = await measured();
	const line = ({ share, memory }: typeof all) =>
		`${share.toFixed(2)} % of a core, ${memory.toFixed(1)} MB`;
	console.log(`n8n with one that sleeps for a day: ${line(alone)}; with ${SLEEPERS}: ${line(all)}`);
	expect(all.share - alone.share).toBeLessThan(1);
	expect(all.memory - alone.memory).toBeLessThan(20);
	for (const messageId of messageIds)
		await stack.sandbox.control('POST /messages/{id}/{trigger}', {
			id: messageId,
			trigger: 'accept',
		});
	// They are asked for within the hour; once n8n starts, one after the other, and the first that slept last.
	await restartLater(SLEEPERS);
	for (const id of ids) {
		expect(brief(await woken(stack, id))).toEqual([['Accepted', 'a', 'accepted']]);
	}
});
