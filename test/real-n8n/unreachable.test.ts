// An n8n that nobody can reach from outside, not even itself at its own public address, and a
// receiver that could not call it if it wanted to: everything still works, since n8n pulls.
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { isNightly } from '../support/ring.ts';
import {
	asleep,
	brief,
	emit,
	letters,
	publishAwaiting,
	waitOf,
	woken,
	type PublishedAwaiting,
} from './awaiting.ts';
import { cutOffReceiver, isInNamespace, type CutOffReceiver } from './cut-off.ts';
import { eventsOf, saveFollower } from './events.ts';
import { startJsonServer, type JsonServer } from './json-server.ts';

jest.setTimeout(200_000);

let stack: Stack;
let json: JsonServer;
let silent: Silent;
let proxy: Proxy;
let receiver: CutOffReceiver;
let awaiting: PublishedAwaiting;
/** Read again at each start of n8n. Lets nodes read its port, which is not the default here. */
const n8nEnv: Record<string, string> = { N8N_BLOCK_ENV_ACCESS_IN_NODE: 'false' };

beforeAll(async () => {
	json = await startJsonServer();
	silent = await startSilent();
	n8nEnv.N8N_WEBHOOK_URL = `${silent.url}/`;
	stack = await startTemporaryStack({ n8nEnv });
	proxy = await startProxy({ targets: () => [stack.n8n.url], prefix: '/behind/n8n' });
	receiver = await cutOffReceiver(stack);
	stack.receiver = receiver;
	awaiting = await publishAwaiting(stack, 'Nobody calls');
}, 300_000);

afterAll(async () => {
	await stack?.close();
	await proxy?.close();
	await silent?.close();
	await json?.close();
}, 60_000);

interface Silent {
	url: string;
	close(): Promise<void>;
}

/** Accepts connections and never responds, like a firewall that drops the replies. */
async function startSilent(): Promise<Silent> {
	const open = new Set<Socket>();
	const server: Server = createServer((socket) => open.add(socket.once('error', () => undefined)));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async close() {
			for (const socket of open) socket.destroy();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

async function sleeper() {
	const [letter] = letters('kept');
	const [id] = await awaiting.fallAsleep(json.offer([letter]));
	return { id, letter, ...(await asleep(stack, id)) };
}

async function expectWoken({ id, letter, waitId }: Awaited<ReturnType<typeof sleeper>>) {
	await emit(stack, 'opened', letter.messageId);
	expect(brief(await woken(stack, id, waitId))).toEqual([['Opened', 'kept', 'opened']]);
	return await until('the receiver to know', async () => {
		const wait = await waitOf(stack, waitId);
		return wait.state === 'resumed' && wait;
	});
}

/** Restarts the stack's n8n with other settings. */
async function restartWith(change: Record<string, string>) {
	Object.assign(n8nEnv, change);
	await stack.restartN8n();
}

it(`the receiver is cut off, by ${isInNamespace ? 'a network namespace' : 'a guard in its process'}`, async () => {
	expect(await receiver.reaches(stack.n8n.url)).toBe(false);
	expect(await receiver.reaches(proxy.url)).toBe(false);
	expect((await fetch(`${stack.receiver.url}/readyz`)).status).toBe(200);
});

it('events start a workflow, and the receiver has tried to reach nobody', async () => {
	const follower = await saveFollower(stack, 'Behind a wall', ['tracked_mail.opened']);
	await stack.activate(follower);
	const all = letters(...Array.from({ length: 20 }, (_, n) => `letter ${n}`));
	await emit(stack, 'opened', ...all.map(({ messageId }) => messageId));
	const seen = await until('all events', async () => {
		const events = await eventsOf(stack, follower);
		return events.length >= all.length && events;
	});
	expect(seen.map(({ messageId }) => messageId).sort()).toEqual(
		all.map(({ messageId }) => messageId),
	);
	await stack.deactivate(follower);
	expect(receiver.attempts()).toEqual([]);
});

it("wakes by loopback where n8n's public address does not answer, and says so", async () => {
	const wait = await expectWoken(await sleeper());
	expect(wait.lastResult).toMatch(/127\.0\.0\.1:\d+: resumed$/);
	expect(receiver.attempts()).toEqual([]);
});

// By day the choice of the way alone: test/unit/pack/awaitOutcomeWays.test.ts.
if (isNightly) {
	it('behind a path prefix (N8N_PATH): woken through the proxy', async () => {
		const own = { N8N_PATH: '/behind/n8n/', N8N_WEBHOOK_URL: `${proxy.url}/behind/n8n/` };
		await restartWith(own);
		const passed = proxy.passed.length;
		const wait = await expectWoken(await sleeper());
		expect(String(wait.target)).toContain('/behind/n8n/webhook-waiting/');
		const woke = proxy.passed
			.slice(passed)
			.filter(({ path }) => path.includes('/webhook-waiting/'));
		expect(woke).toMatchObject([{ method: 'POST' }]);
	});

	it('behind a path prefix that n8n itself cannot reach: by loopback, without the prefix', async () => {
		const underTheOldAddress = await sleeper();
		// The discard port: nothing listens there.
		await restartWith({ N8N_WEBHOOK_URL: 'http://127.0.0.1:9/behind/n8n/' });
		const wait = await expectWoken(await sleeper());
		expect(wait.lastResult).toMatch(/127\.0\.0\.1:\d+: resumed$/);
		await expectWoken(underTheOldAddress);
		expect(receiver.attempts()).toEqual([]);
	});
}
