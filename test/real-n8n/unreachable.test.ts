// An n8n that nobody can reach from outside, not even itself at its own public address, and a
// receiver that could not call it if it wanted to: everything still works, since n8n pulls.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { until } from '../n8n/poll.ts';
import { freePort } from '../n8n/port.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
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
import { cutOffReceiver, GUARD, type CutOffReceiver } from './cut-off.ts';
import { eventsOf, saveFollower } from './events.ts';
import { startFileServer, type FileServer } from './file-server.ts';

jest.setTimeout(200_000);

let stack: Stack;
let files: FileServer;
let silent: Silent;
let receiver: CutOffReceiver;
let awaiting: PublishedAwaiting;
/** Read again at each start of n8n. */
const n8nEnv: Record<string, string> = {};

beforeAll(async () => {
	files = await startFileServer();
	// n8n's public address is another of this machine, with its own port.
	const port = await freePort();
	silent = await startSilent(port);
	n8nEnv.N8N_WEBHOOK_URL = `${silent.url}/`;
	stack = await startTemporaryStack({
		n8nEnv,
		ports: { n8n: port, receiver: 0, sandbox: 0, page: 0 },
	});
	receiver = await cutOffReceiver(stack);
	stack.receiver = receiver;
	awaiting = await publishAwaiting(stack, 'Nobody calls');
}, 300_000);

afterAll(async () => {
	await stack?.close();
	await silent?.close();
	await files?.close();
}, 60_000);

interface Silent {
	url: string;
	close(): Promise<void>;
}

/** Accepts connections and never responds, like a firewall that drops the replies. */
async function startSilent(port: number): Promise<Silent> {
	const open = new Set<Socket>();
	const server: Server = createServer((socket) => open.add(socket.once('error', () => undefined)));
	await new Promise<void>((resolve) => server.listen(port, '127.0.0.2', resolve));
	return {
		url: `http://127.0.0.2:${port}`,
		async close() {
			for (const socket of open) socket.destroy();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

async function sleeper() {
	const [letter] = letters('kept');
	const [id] = await awaiting.fallAsleep(files.offer([letter]));
	return { id, letter, ...(await asleep(stack, id)) };
}

async function expectWoken({ id, letter, waitId }: Awaited<ReturnType<typeof sleeper>>) {
	await emit(stack, 'opened', letter.messageId);
	expect(brief(await woken(stack, id, waitId))).toEqual([['Opened', 'kept', 'opened']]);
	return await until('the receiver to know', async () => {
		const wait = await waitOf(stack, waitId);
		return wait.state === 'done' && wait;
	});
}

it('who is cut off like the receiver does not reach n8n, and the try is on record', async () => {
	const CUT_OFF_RECORD = join(stack.folder, 'probe.log');
	const probe = ['--import', GUARD, '--eval', `fetch('${stack.n8n.url}')`];
	const cutOff = promisify(execFile)(process.execPath, probe, { env: { CUT_OFF_RECORD } });
	await expect(cutOff).rejects.toThrow('cut off');
	expect(readFileSync(CUT_OFF_RECORD, 'utf8')).toBe(`${new URL(stack.n8n.url).host}\n`);
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
