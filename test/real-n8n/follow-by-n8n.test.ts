// Await Outcome without a receiver: n8n itself follows, through its own API, in a real n8n.
import { setTimeout as sleep } from 'node:timers/promises';

import { poster } from '../contract/receiver/watching/poster.ts';
import { until } from '../n8n/poll.ts';
import { itAtNight } from '../support/ring.ts';
import { sandboxState, type Trigger } from '../support/sandbox.ts';
import {
	AWAIT,
	AWAIT_CONSENT,
	awaitOutcome,
	brief,
	publishAwaiting,
	publishAwaitingConsent,
	saveAwaiting,
	to,
	untilAsleep,
	woken,
} from './awaiting.ts';
import { followingCredentials, saveN8nKey } from './follow.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(300_000);

let service: ReturnType<typeof poster>;
let key: { rawApiKey: string };
let n8nCredential: string;

useStack({ sandbox: { automatic: false } });

beforeAll(async () => {
	// Nobody follows but n8n.
	service = poster(stack.sandbox);
	key = await stack.api.createApiKey('Of the test');
	n8nCredential = await saveKey(key.rawApiKey);
}, 300_000);

const saveKey = async (apiKey: string) => await saveN8nKey(stack, apiKey);

const awaiting = (parameters: object = {}, more: object = {}) =>
	awaitOutcome(parameters, { credentials: followingCredentials(n8nCredential), ...more });

let last = 0;

/** Letters at the service. */
async function sent(...names: string[]) {
	return await Promise.all(
		names.map(async (name) => {
			const recipient = {
				email: `${name}${++last}@x.example`,
				firstname: name,
				lastname: 'Martin',
			};
			const letter = { type: 'LRE', body: '<p>Dear reader</p>', recipients: [recipient] };
			return { name, messageId: await service.send(letter), type: 'LRE' };
		}),
	);
}

const settle = async ({ messageId }: { messageId: string }, how: Trigger) =>
	await stack.sandbox.control('POST /messages/{id}/{trigger}', { id: messageId, trigger: how });

it('each leaves by its output; one request asks for a letter that several wait for', async () => {
	const [a, b, c] = await sent('a', 'b', 'c');
	const { workflow, fallAsleep } = await publishAwaiting(stack, 'By n8n', awaiting());
	const ids = await fallAsleep(files.offer([a, b]), files.offer([a]), files.offer([c]));
	await settle(a, 'accept');
	await settle(b, 'refuse');
	await settle(c, 'expire');
	const all = await Promise.all(ids.map(async (id) => brief(await woken(stack, id))));
	expect(all).toEqual([
		[
			['Accepted', 'a', 'accepted'],
			['Refused', 'b', 'refused'],
		],
		[['Accepted', 'a', 'accepted']],
		[['Expired', 'c', 'expired']],
	]);
	expect(await stack.api.executionIds(workflow.id)).toEqual(ids);
	const { requests } = await sandboxState(stack.sandbox);
	const asked = requests.filter(({ path }) => path === `/messages/${a.messageId}`);
	expect(asked.length).toBeLessThan(6);
});

it('two in a row: each wakes by its own, the second over a kill of n8n', async () => {
	const [a, b] = await sent('a', 'b');
	const parameters = { messageId: '={{ $json.second }}' };
	const second = { ...awaiting(parameters), name: 'Second', id: crypto.randomUUID() };
	const { fallAsleep } = await publishAwaiting(stack, 'Two', awaiting(), (nodes, connections) => {
		nodes.push({ ...second, position: [900, 200], webhookId: crypto.randomUUID() });
		connections.Accepted = { main: [to('Second')] };
	});
	const [id] = await fallAsleep(files.offer([{ ...a, second: b.messageId }]));
	await settle(a, 'accept');
	await until('the second to sleep', async () => {
		const { status, runs } = await stack.api.execution(id);
		return status === 'waiting' && runs.Accepted !== undefined;
	});
	await stack.n8n.kill();
	await settle(b, 'refuse');
	await stack.startN8n();
	const { runs } = await woken(stack, id);
	expect(runs.Second[0].map((items) => items?.length ?? 0)).toEqual([0, 1, 0, 0, 0]);
});

itAtNight(
	'unpublished while it sleeps: sleeps on, and is woken once the workflow is published again',
	async () => {
		const [a] = await sent('a');
		const { workflow, fallAsleep } = await publishAwaiting(stack, 'Unpublished', awaiting());
		const [id] = await fallAsleep(files.offer([a]));
		await stack.api.deactivate(workflow.id);
		// What was asked by then may still be answered.
		await sleep(2_000);
		await settle(a, 'accept');
		await sleep(20_000);
		expect((await stack.api.execution(id)).status).toBe('waiting');
		await stack.api.activate(workflow.id);
		expect(brief(await woken(stack, id))).toEqual([['Accepted', 'a', 'accepted']]);
	},
);

itAtNight('started by hand, in a workflow that is not published', async () => {
	const [a] = await sent('a');
	const id = await stack.api.start(
		await saveAwaiting(stack, 'By hand', files.offer([a]), awaiting()),
	);
	await untilAsleep(stack, id);
	await settle(a, 'refuse');
	expect(brief(await woken(stack, id))).toEqual([['Refused', 'a', 'refused']]);
});

itAtNight('n8n killed while they sleep, and the node renamed', async () => {
	const [a, b] = await sent('a', 'b');
	const { workflow, fallAsleep } = await publishAwaiting(stack, 'Killed', awaiting());
	const ids = await fallAsleep(files.offer([a]), files.offer([b]));
	await stack.n8n.kill();
	await settle(a, 'accept');
	await stack.startN8n();
	expect(brief(await woken(stack, ids[0]))).toEqual([['Accepted', 'a', 'accepted']]);
	const renamed = JSON.stringify({ ...workflow, name: 'Killed' }).replaceAll(AWAIT, 'Renamed');
	await stack.api.saveWorkflow(JSON.parse(renamed));
	await stack.api.activate(workflow.id);
	await settle(b, 'accept');
	expect(brief(await woken(stack, ids[1]))).toEqual([['Accepted', 'b', 'accepted']]);
});

it('a key that cannot see the execution is refused before it sleeps', async () => {
	const member = await stack.api.invite(`member${Date.now()}@x.example`);
	const other = await member.createApiKey('Of a member');
	const [a] = await sent('a');
	await saveKey(other.rawApiKey);
	try {
		const workflow = await saveAwaiting(stack, 'Refused', files.offer([a]), awaiting());
		const { status, error } = await stack.api.run(workflow);
		expect([status, error?.message, error?.description]).toEqual([
			'error',
			'The user of the n8n API key does not see this execution. Check that the n8n URL leads to this n8n, and use a key of a user who has access to this workflow.',
			'Nobody was asked, and the execution did not go to sleep.',
		]);
	} finally {
		await saveKey(key.rawApiKey);
	}
});

it('Await Consent, over a kill of n8n: reminded once, and woken by the answer', async () => {
	const email = 'gus@contacts.example';
	const { workflow, fallAsleep } = await publishAwaitingConsent(
		stack,
		{ remindAfterDays: 20 / 86_400 },
		followingCredentials(n8nCredential),
	);
	const contact = { email, firstname: 'Gus', lastname: 'Martin' };
	const [id] = await fallAsleep(files.offer([contact]));
	const mails = async () =>
		(await sandboxState(stack.sandbox)).mails.filter((mail) => mail.to === email).length;
	expect(await mails()).toBe(1);
	await stack.n8n.kill();
	await stack.startN8n();
	await until('the reminder', async () => (await mails()) === 2);
	const { consents } = await sandboxState(stack.sandbox);
	const consent = consents.findLast(({ contact }) => contact.email === email);
	await stack.sandbox.control('POST /consents/{id}/{answer}', {
		id: consent!.id,
		answer: 'accept',
	});
	const { status, runs } = await woken(stack, id);
	const left = runs[AWAIT_CONSENT][0].map((items) => items?.length ?? 0);
	expect([status, left]).toEqual(['success', [1, 0, 0]]);
	expect([await mails(), await stack.api.executionIds(workflow.id)]).toEqual([2, [id]]);
});
