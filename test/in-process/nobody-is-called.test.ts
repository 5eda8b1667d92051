// n8n pulls: a receiver calls nobody, least of all n8n, which nobody can reach from outside, not even n8n itself at
// its own public address.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { cleanUp, later, temporaryFolder, TOKEN, until } from '../contract/receiver/harness.ts';
import { startProcess } from '../contract/receiver/process.ts';
import { root } from '../n8n/folders.ts';
import { byReceiver } from '../support/sandbox.ts';
import { N8nProcess } from './pulling-n8n.ts';
import { goneOn, SleepingN8n, untilAsleep, waitOf } from './sleeping-n8n.ts';

jest.setTimeout(60_000);

let receiver: Awaited<ReturnType<typeof startProcess>>;
let connections: () => string;

beforeEach(async () => {
	const file = join(temporaryFolder(), 'connections.log');
	receiver = await startProcess(temporaryFolder(), {
		NODE_OPTIONS: `--import ${join(root, 'test', 'n8n', 'note-connections.mjs')}`,
		CONNECTIONS: file,
	});
	connections = () => readFileSync(file, 'utf8');
});
afterEach(cleanUp);

const opened = async (messageId: string) =>
	await receiver.emit({ event: 'aes_opened', messageId, timestamp: new Date().toISOString() });

it('events start a workflow', async () => {
	const n8n = await N8nProcess.start(receiver.url);
	later(async () => {
		await n8n.close();
		n8n.wire.cut();
	});
	await n8n.publish({ managementToken: TOKEN });
	await opened('000000000001');
	await until(() => n8n.database.executions.length === 1, 'an execution');
	expect(connections()).toBe('');
});

it('an execution is woken by loopback where n8n’s public address takes connections, and is silent', async () => {
	const n8n = await SleepingN8n.start(new AwaitOutcome());
	later(() => n8n.close());
	const silent = createServer((socket) => {
		later(() => void socket.destroy());
		socket.on('error', () => undefined);
	});
	await new Promise<void>((resolve) => silent.listen(n8n.port, '127.0.0.2', resolve));
	later(() => void silent.close());
	const messageId = '000000000001';
	const execution = await untilAsleep(
		n8n.run({
			credentials: { registeredDeliveryApi: byReceiver(receiver.url, TOKEN) },
			publicUrl: `http://127.0.0.2:${n8n.port}`,
			items: [{ json: { messageId, type: 'AES' } }],
		}),
	);
	await opened(messageId);
	await goneOn(execution);
	const path = `/waits/${waitOf(execution)?.waitId}`;
	const wait = async () => (await receiver.manage('GET', path)).body;
	await until(async () => (await wait()).state === 'done', 'the receiver to know');
	expect((await wait()).lastResult).toMatch(/127\.0\.0\.1:\d+: resumed$/);
	expect(connections()).toBe('');
});
