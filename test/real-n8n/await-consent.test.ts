// Await Consent in a real n8n, with the sandbox and a receiver that watches it.
import { until } from '../n8n/poll.ts';
import { sandboxState } from '../support/sandbox.ts';
import { to, untilAsleep } from './awaiting.ts';
import { itemsFrom, node, START, webhook } from './workflows.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(200_000);

useStack({
	ownProcesses: true,
	receiverEnv: { WATCH_DELAYS: '0s:1s', WATCH_RATE_LIMIT: '6000' },
});

const emailOf = (name: string) => `${name}@contacts.example`;

function awaitConsent(parameters: object) {
	return node(
		'Await Consent',
		'n8n-nodes-registered-delivery.awaitConsent',
		1,
		{
			askBy: 'email',
			recipientsFrom: 'item',
			options: {},
			deadlineMode: 'after',
			deadlineAmount: 1,
			deadlineUnit: 'hours',
			...parameters,
		},
		{
			webhookId: crypto.randomUUID(),
			position: [400, 0],
			credentials: stack.credentials,
		},
	);
}

/** `START` or a webhook → one item for each contact → Await Consent. */
async function save(names: string[], parameters: object = {}, start = START) {
	const contacts = names.map((name) => ({
		name,
		email: emailOf(name),
		firstname: name,
		lastname: 'Martin',
	}));
	const items = itemsFrom(files.offer(contacts));
	return await stack.api.saveWorkflow({
		name: `Consent of ${names.join(', ')}`,
		nodes: [start, { ...items, position: [200, 0] }, awaitConsent(parameters)],
		connections: { Start: { main: [to('Items')] }, Items: { main: [to('Await Consent')] } },
		settings: { executionOrder: 'v1', saveManualExecutions: true },
	});
}

/** The same, published, and started once. @returns the execution's id */
async function publish(names: string[], parameters: object = {}) {
	const path = crypto.randomUUID();
	const workflow = await save(names, parameters, webhook(path));
	await stack.api.activate(workflow.id);
	await until('the execution', async () => {
		const answer = await fetch(`${stack.n8n.url}/webhook/${path}`, { method: 'POST' });
		// While it starts, n8n answers everything with 200.
		return answer.ok && (await stack.api.executionIds(workflow.id)).length > 0;
	});
	const [id] = await stack.api.executionIds(workflow.id);
	await untilAsleep(stack, id);
	return { workflow, id };
}

async function answer(name: string, word: 'accept' | 'refuse') {
	const consent = await until(`the request to ${name}`, async () => {
		const { consents } = await sandboxState(stack.sandbox);
		return consents.findLast(({ contact }) => contact.email === emailOf(name));
	});
	await stack.sandbox.control('POST /consents/{id}/{answer}', { id: consent.id, answer: word });
}

const mailsTo = async (name: string) => {
	const { mails } = await sandboxState(stack.sandbox);
	return mails.filter(({ to: whom }) => whom === emailOf(name)).length;
};

const OUTPUTS = ['Accepted', 'Refused', 'No Answer'];

/** Output, contact and outcome of each item. */
async function left(id: string) {
	const { runs, error } = await stack.api.finished(id, 120_000);
	expect(error).toBe(null);
	return runs['Await Consent'][0].flatMap((items, output) =>
		(items ?? []).map(({ json }) => [
			OUTPUTS[output],
			json.name,
			(json.outcome as { outcome: string }).outcome,
		]),
	);
}

const days = (seconds: number) => seconds / 86_400;

// By the deadline: test/in-process/awaiting-consent.ts.
it('asked, reminded, answered: each leaves by its output; who has consented is not asked', async () => {
	const [first] = [await stack.api.start(await save(['ada']))];
	await answer('ada', 'accept');
	expect(await left(first)).toEqual([['Accepted', 'ada', 'accepted']]);

	const options = { remindAfterDays: days(8) };
	const id = await stack.api.start(await save(['ada', 'ben', 'cleo'], { options }));
	await answer('cleo', 'refuse');
	await until('the reminder', async () => (await mailsTo('ben')) === 2);
	await answer('ben', 'accept');
	expect(await left(id)).toEqual([
		['Accepted', 'ada', 'accepted'],
		['Accepted', 'ben', 'accepted'],
		['Refused', 'cleo', 'refused'],
	]);
	expect([await mailsTo('ada'), await mailsTo('cleo')]).toEqual([1, 1]);
});

it('over kills of n8n and of the receiver: reminded once, and woken by the answer', async () => {
	const options = { remindAfterDays: days(15) };
	const { workflow, id } = await publish(['gus'], { options });
	await stack.n8n.kill();
	await stack.killReceiver();
	await stack.startReceiver();
	await stack.startN8n();
	await until('the reminder', async () => (await mailsTo('gus')) === 2);
	await untilAsleep(stack, id);
	await stack.killReceiver();
	await stack.n8n.kill();
	await answer('gus', 'accept');
	await stack.startN8n();
	await stack.startReceiver();
	expect(await left(id)).toEqual([['Accepted', 'gus', 'accepted']]);
	expect(await mailsTo('gus')).toBe(2);
	await stack.api.deactivate(workflow.id);
});
