// Executions that sleep until their letters have an outcome, in a real n8n.
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { awaitOutcome, emit, left, saveAwaiting, untilAsleep } from './awaiting.ts';
import { startJsonServer, type JsonServer } from './json-server.ts';

jest.setTimeout(180_000);

let stack: Stack;
let json: JsonServer;

beforeAll(async () => {
	json = await startJsonServer();
	stack = await startTemporaryStack({ n8nEnv: { N8N_LOG_LEVEL: 'debug' } });
}, 300_000);

afterAll(async () => {
	await stack?.close();
	await json?.close();
}, 60_000);

let last = 0;

/** Letters nobody has waited for yet. */
function letters(...names: string[]) {
	return names.map((name) => ({ name, messageId: String(++last).padStart(12, '0'), type: 'AES' }));
}

it('each letter leaves by its output, paired with its item', async () => {
	const all = letters('a', 'b', 'c', 'd');
	const [a, b, c, d] = all.map(({ messageId }) => messageId);
	const workflow = await saveAwaiting(stack, 'Mixed', json.offer(all), awaitOutcome());
	const id = await stack.api.start(workflow);
	await untilAsleep(stack, id);
	await emit(stack, 'failed', a, c);
	await emit(stack, 'opened', d, b);
	const execution = await stack.api.finished(id);
	expect(execution.error).toBe(null);
	expect(left(execution)).toEqual([
		expect.objectContaining({ by: 'Opened', paired: 'b', name: 'b', messageId: b }),
		expect.objectContaining({ by: 'Opened', paired: 'd', name: 'd', messageId: d }),
		expect.objectContaining({ by: 'Expired', paired: 'a', name: 'a', outcome: 'failed' }),
		expect.objectContaining({ by: 'Expired', paired: 'c', name: 'c', outcome: 'failed' }),
	]);
});
