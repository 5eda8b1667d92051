// Weeks in a minute: workflows in a real n8n, with a receiver that goes by the sandbox's time.
import { until } from '../n8n/poll.ts';
import { sandboxState } from '../support/sandbox.ts';
import { to, untilAsleep } from './awaiting.ts';
import { fillIn } from './forms.ts';
import { itemsFrom, node, untilServed, webhook } from './workflows.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(200_000);

useStack({ receiverEnv: { CLOCK: 'service' } });

const DAY = 24 * 3_600_000;
/** As long as a person waits for it. */
const PATIENCE_MS = 120_000;

const advance = (days: number) => stack.sandbox.control.advance(days * DAY);

it('the escalation, to the end of its registered letter: 38 days', async () => {
	const workflow = await stack.importExample('escalation.json');
	await stack.api.activate(workflow.id);
	await fillIn(stack, workflow, [
		'NOTICE-38',
		'never@recipients.example',
		'Chloé',
		'Dubois',
		'rent',
	]);
	const [id] = await until('the execution', async () => {
		const ids = await stack.api.executionIds(workflow.id);
		return ids.length > 0 && ids;
	});
	const began = Date.now();
	const asleepWith = async (type: string) => {
		await until(`it to sleep after ${type}`, async () => {
			const { messages } = await sandboxState(stack.sandbox);
			const own = messages.filter(({ fileReference }) => fileReference === 'NOTICE-38');
			return own.at(-1)?.type === type;
		});
		await untilAsleep(stack, id);
	};
	await asleepWith('AES');
	// Before its deadline nothing happens, however often the time is moved.
	await advance(3);
	await advance(3);
	await untilAsleep(stack, id);
	await advance(2);
	await asleepWith('LS');
	await advance(15);
	await asleepWith('LRE');
	await advance(15);
	const { runs, error } = await stack.api.finished(id, PATIENCE_MS);
	expect(error).toBe(null);
	const left = runs['Wait 30 days for the answer'][0].map((items) =>
		items.map(({ json }) => (json.outcome as { outcome: string }).outcome),
	);
	expect(left).toEqual([[], [], [], ['expired'], []]);
	expect(Date.now() - began).toBeLessThan(PATIENCE_MS);
	await stack.api.deactivate(workflow.id);
});

it('a consent: reminders after 7 and 14 days, and no answer after 21', async () => {
	const path = crypto.randomUUID();
	const ada = { email: 'ada@contacts.example', firstname: 'Ada', lastname: 'Martin' };
	const consent = node(
		'Await Consent',
		'n8n-nodes-registered-delivery.awaitConsent',
		1,
		{
			askBy: 'email',
			recipientsFrom: 'item',
			deadlineMode: 'after',
			deadlineAmount: 21,
			deadlineUnit: 'days',
			options: { remindAfterDays: 7, reminders: 2 },
		},
		{ webhookId: crypto.randomUUID(), position: [400, 0], credentials: stack.credentials },
	);
	const workflow = await stack.api.saveWorkflow({
		name: 'Consent, rehearsed',
		nodes: [webhook(path), { ...itemsFrom(files.offer([ada])), position: [200, 0] }, consent],
		connections: { Start: { main: [to('Items')] }, Items: { main: [to('Await Consent')] } },
		settings: { executionOrder: 'v1' },
	});
	await stack.api.activate(workflow.id);
	const address = `${stack.n8n.url}/webhook/${path}`;
	await untilServed(address);
	await fetch(address, { method: 'POST' });
	const [id] = await until('the execution', async () => {
		const ids = await stack.api.executionIds(workflow.id);
		return ids.length > 0 && ids;
	});
	const began = Date.now();
	const mails = async () => {
		const { mails: all } = await sandboxState(stack.sandbox);
		return all.filter(({ to: whom }) => whom === ada.email).length;
	};
	const asleepWith = async (count: number) => {
		await until(`${count} mails`, async () => (await mails()) === count);
		await untilAsleep(stack, id);
	};
	await asleepWith(1);
	await advance(7.1);
	await asleepWith(2);
	await advance(7);
	await asleepWith(3);
	await advance(7);
	const { runs, error } = await stack.api.finished(id, PATIENCE_MS);
	expect(error).toBe(null);
	expect(runs['Await Consent'].at(-1)?.map((items) => items.length)).toEqual([0, 0, 1]);
	expect(await mails()).toBe(3);
	expect(Date.now() - began).toBeLessThan(PATIENCE_MS);
	await stack.api.deactivate(workflow.id);
});
