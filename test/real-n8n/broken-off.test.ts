// Mailings without a Send Once Key that break off in the middle, and are retried from n8n's list: n8n
// saves nothing of what their nodes remember then, and the retry must know nonetheless what may have left.
import { until } from '../n8n/poll.ts';
import { sandboxState } from '../support/sandbox.ts';
import { itemsFrom, saveChain, sendLetter, webhook } from './workflows.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(180_000);

useStack({ sandbox: { automatic: false } });

beforeEach(async () => {
	await stack.sandbox.control('DELETE /faults');
});

async function recipients(): Promise<string[]> {
	const { messages } = await sandboxState(stack.sandbox);
	return messages.map(({ contact }) => contact.email);
}

/** A mailing of five letters of which two are sent, and the service is slow to take the third. */
async function startMailing(name: string): Promise<{ execution: string; emails: string[] }> {
	const emails = [1, 2, 3, 4, 5].map((at) => `${name}${at}@recipients.example`);
	// A published workflow: n8n retries no manual execution that broke off.
	const path = crypto.randomUUID();
	const workflow = await saveChain(stack, name, [
		webhook(path),
		itemsFrom(files.offer(emails.map((email) => ({ email })))),
		sendLetter({
			recipientsJson: '={{ [{ email: $json.email, firstname: "A", lastname: "B" }] }}',
			options: { concurrency: 1 },
		}),
	]);
	await stack.api.activate(workflow.id);
	await stack.sandbox.control('POST /faults', {
		faults: [
			{
				method: 'POST',
				path: '/messages/bulk_send',
				skip: 2,
				times: 1,
				fault: { kind: 'delay', ms: 60_000 },
			},
		],
	});
	await until('the workflow to start', async () => {
		await fetch(`${stack.n8n.url}/webhook/${path}`, { method: 'POST' });
		return (await stack.api.executionIds(workflow.id)).length > 0;
	});
	const [execution] = await stack.api.executionIds(workflow.id);
	await until('two letters to be sent', async () => {
		return (await recipients()).filter((email) => emails.includes(email)).length === 2;
	});
	return { execution, emails };
}

describe.each([
	[
		'killed',
		async () => {
			await stack.n8n.kill();
			await stack.startN8n();
		},
	],
	['stopped', async (execution: string) => await stack.api.stop(execution)],
])('a mailing that was %s and is retried', (how, breakOff) => {
	it('sends nothing twice: what may have left is told as unknown', async () => {
		const { execution, emails } = await startMailing(how);
		await breakOff(execution);
		await stack.api.finished(execution);
		await stack.sandbox.control('DELETE /faults');

		const retries = [await stack.api.retry(execution), await stack.api.retry(execution)];
		for (const { error, status } of retries) {
			expect(error?.message).toMatch(/^Outcome unknown/);
			expect(status).toBe('error');
		}
		const sent = (await recipients()).filter((email) => emails.includes(email));
		expect(sent.sort()).toEqual([...new Set(sent)].sort());
	});
});
