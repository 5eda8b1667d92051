// Asleep on the oldest n8n that the pack claims to run on, woken on the newest, which has taken over its
// database and its installed packages. Nightly: npm test -- upgrade.
import { n8nVersion } from '../n8n/program.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import {
	asleep,
	awaitOutcome,
	brief,
	emit,
	letters,
	publishAwaiting,
	saveAwaiting,
	woken,
} from '../real-n8n/awaiting.ts';
import { startFileServer, type FileServer } from '../real-n8n/file-server.ts';
import { post } from '../real-n8n/load.ts';
import { saveScene } from '../real-n8n/pulling.ts';
import { expectEachOnce } from '../real-n8n/witness.ts';

jest.setTimeout(400_000);

let stack: Stack;
let json: FileServer;

beforeAll(async () => {
	json = await startFileServer();
	stack = await startTemporaryStack({ n8nInstallation: 'n8n-before' });
}, 400_000);

afterAll(async () => {
	await stack?.close();
	await json?.close();
}, 60_000);

it('executions that sleep, and events that wait, come over an upgrade of n8n', async () => {
	expect(await n8nVersion('n8n-before')).not.toBe(await n8nVersion());
	const [a, b, c, d] = letters('a', 'b', 'c', 'd');
	const soon = awaitOutcome({
		deadlineMode: 'at',
		deadlineAt: '={{ $now.plus({ seconds: 10 }).toISO() }}',
	});
	const slept = await publishAwaiting(stack, 'Upgrade');
	const [both] = await slept.fallAsleep(json.offer([a, b]));
	const [late] = await (await publishAwaiting(stack, 'Deadline', soon)).fallAsleep(json.offer([c]));
	const byHand = await stack.api.start(await saveAwaiting(stack, 'By hand', json.offer([d])));
	const waits = [both, late, byHand].map(async (id) => (await asleep(stack, id)).waitId);
	const [ofBoth, ofLate, ofByHand] = await Promise.all(waits);
	const trigger = await saveScene(stack, 'Trigger', 'Upgrade', {
		options: { maxConcurrentExecutions: 5 },
	});
	await stack.activate(trigger);
	const before = await post(stack, 'Upgrade', 10);
	await stack.receiverApi.untilDrained(trigger.id);

	await stack.n8n.stop();
	const meanwhile = await post(stack, 'Upgrade', 10);
	await emit(stack, 'failed', a.messageId);
	await stack.upgradeN8n();
	const afterwards = await post(stack, 'Upgrade', 10);
	await emit(stack, 'opened', b.messageId, d.messageId);

	expect(brief(await woken(stack, both, ofBoth))).toEqual([
		['Opened', 'b', 'opened'],
		['Expired', 'a', 'failed'],
	]);
	expect(brief(await woken(stack, late, ofLate))).toEqual([['Pending', 'c', 'none']]);
	expect(brief(await woken(stack, byHand, ofByHand))).toEqual([['Opened', 'd', 'opened']]);
	await stack.receiverApi.untilHeld(trigger.id, 1);
	await stack.receiverApi.untilDrained(trigger.id);
	const acknowledged = new Set([...before, ...meanwhile, ...afterwards]);
	await expectEachOnce(stack, { workflowId: trigger.id, reference: 'Upgrade', acknowledged });
});
