// The service posts straight to n8n, with no receiver in between.
import { until } from '../n8n/poll.ts';
import {
	opened,
	postDirect,
	publishDirect,
	saveDirect,
	SECRET,
	TYPE,
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

	it('[EVNT-05][T] behind Remove Duplicates a repeated event goes on once, over a restart too, until its history is cleared', async () => {
		const id = await stack.api.saveCredential('Direct, once', TYPE, {
			scheme: 'hmac',
			secrets: SECRET,
		});
		const webhookId = crypto.randomUUID();
		const workflow = await stack.importExample('direct-events-once.json', ({ nodes }) => {
			Object.assign(nodes[0], { webhookId, credentials: { [TYPE]: { id, name: 'Direct, once' } } });
		});
		const url = `${stack.n8n.url}/webhook/${webhookId}/events`;
		await stack.api.activate(workflow.id);
		await untilThere(url);
		let posted = 0;
		/** How many items of this request got past Remove Duplicates. */
		const passed = async (name: string) => {
			const answer = await postDirect(url, opened(name));
			expect([answer.status, await answer.json()]).toEqual([200, { accepted: 1 }]);
			posted++;
			// n8n answers before it has recorded the execution.
			const ids = await until(`${posted} executions`, async () => {
				const seen = await stack.api.executionIds(workflow.id);
				return seen.length === posted && seen;
			});
			const { status, output } = await stack.api.finished(ids[posted - 1]);
			expect(status).toBe('success');
			return output['Note the event']?.length ?? 0;
		};
		expect([await passed('again'), await passed('again'), await passed('new')]).toEqual([1, 0, 1]);
		await stack.restartN8n();
		await untilThere(url);
		expect([await passed('again'), await passed('new')]).toEqual([0, 0]);

		const cleared = await stack.api.listen(workflow, 'On the first of each month');
		expect(await stack.api.finished(cleared)).toMatchObject({ status: 'success' });
		posted++;
		expect(await passed('again')).toBe(1);
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
