// The service posts straight to n8n, with no receiver in between.
import { until } from '../n8n/poll.ts';
import {
	opened,
	postDirect,
	publishDirect,
	saveDirect,
	SECRET,
	untilThere,
	type Direct,
} from './direct.ts';
import { untilEventsOf } from './events.ts';
import { leaks, secretsOf, traces } from './secrets.ts';
import { saveChain, sendLetter, START, to } from './workflows.ts';
import { stack, useStack } from './use-stack.ts';

jest.setTimeout(120_000);

let any: Direct;

useStack();

beforeAll(async () => {
	any = await publishDirect(stack, 'Direct');
}, 300_000);

async function send(email: string): Promise<string> {
	const chain = [START, sendLetter({ type: 'AES', ...to(email) })];
	const workflow = await saveChain(stack, 'Send', chain);
	const { output } = await stack.api.run(workflow);
	return String(output['Send Letter'][0].json.messageId);
}

describe('direct mode', () => {
	it('[TYPE-06][EVNT-01][STAT-01][STAT-02][STAT-03][T] sent, received and opened come from the service itself', async () => {
		const webhooks = [{ url: any.url, secret: SECRET }];
		await stack.sandbox.control('PUT /webhooks', { webhooks });
		const messageId = await send('open@recipients.example');
		const events = await untilEventsOf(stack, any.workflow, messageId, 3);
		expect(new Set(events.map(({ sourceType }) => sourceType))).toEqual(
			new Set(['aes_sent', 'aes_received', 'aes_opened']),
		);
		expect(new Set(events.map(({ execution }) => execution)).size).toBe(3);
		expect(await stack.consumers()).toEqual([]);
	});

	it('[EVNT-05][T] the same event again starts nothing, before and after a restart', async () => {
		const before = (await stack.api.executionIds(any.workflow.id)).length;
		const executions = async () => (await stack.api.executionIds(any.workflow.id)).length - before;
		// n8n answers before it has recorded the execution.
		const started = (count: number) =>
			until(`${count} executions`, async () => {
				const seen = await executions();
				return seen >= count && seen;
			});
		const atOnce = await Promise.all(
			Array.from({ length: 20 }, async () => await postDirect(any.url, opened('again'))),
		);
		expect(atOnce.every(({ status }) => status === 200)).toBe(true);
		const answers = (await Promise.all(
			atOnce.map(async (answer) => await answer.json()),
		)) as Array<{
			accepted: number;
		}>;
		expect(answers.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(1);
		expect(await started(1)).toBe(1);

		await stack.restartN8n();
		await untilThere(any.url);
		const again = await postDirect(any.url, opened('again'));
		expect(again.status).toBe(200);
		expect(await again.json()).toEqual({ accepted: 0, duplicates: 1 });
		expect(await (await postDirect(any.url, opened('new'))).json()).toEqual({
			accepted: 1,
			duplicates: 0,
		});
		expect(await started(2)).toBe(2);
	});

	it('a test run takes an event at the test URL, without being published', async () => {
		const { workflow, testUrl } = await saveDirect(stack, 'Direct, tried out', {
			scheme: 'sharedSecret',
			secrets: SECRET,
		});
		for (let times = 0; times < 2; times++) {
			await stack.api.listen(workflow, 'Registered Delivery Trigger');
			const headers = { 'content-type': 'application/json', 'x-webhook-secret': SECRET };
			const answer = await fetch(testUrl, { method: 'POST', headers, body: opened('tried') });
			expect(answer.status).toBe(200);
			const events = await untilEventsOf(stack, workflow, '000000000999', times + 1);
			expect(events.at(-1)).toMatchObject({ mode: 'manual', status: 'OPENED' });
		}
	});
});

it('no secret is in executions or logs', async () => {
	expect(leaks(await traces(stack), [...secretsOf(stack), SECRET])).toEqual([]);
});
