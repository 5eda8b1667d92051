// What only a real n8n can show about sending at most once: retries from its list of executions, loops, and
// concurrent executions under one key. Under keys that a receiver keeps: queue-mode.test.ts.
import { parametersOf } from '../in-process/worlds/run-world.ts';
import { startService, type Service, type Step } from '../in-process/worlds/service.ts';
import { nameOf, type Operation, type World } from '../in-process/worlds/world.ts';
import type { Execution, StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import { countSendRequests, sandboxState, type FaultRule } from '../support/sandbox.ts';
import {
	itemsFrom,
	node,
	PACK,
	saveChain,
	sendLetter,
	START,
	to,
	untilServed,
	webhook,
} from './workflows.ts';
import { allAtNight } from '../support/ring.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(120_000);

let service: Service;
useStack({ sandbox: { automatic: false } });

beforeAll(async () => {
	service = await startService();
}, 300_000);
afterAll(async () => {
	await service?.close();
}, 120_000);
beforeEach(async () => {
	await stack.sandbox.control('DELETE /faults');
});

const onSend = { method: 'POST', path: '/messages/bulk_send' } as const;
const fault = async (rule: FaultRule) =>
	await stack.sandbox.control('POST /faults', { faults: [{ ...onSend, ...rule }] });

async function lettersTo(...emails: string[]): Promise<number> {
	const { messages } = await sandboxState(stack.sandbox);
	return messages.filter(({ contact }) => emails.includes(contact.email)).length;
}

it('an execution retried from n8n’s list sends no letter of unknown outcome again', async () => {
	const email = 'unknown@recipients.example';
	const workflow = await saveChain(stack, 'Retried with unknown outcome', [
		START,
		sendLetter(to(email)),
	]);
	await fault({ fault: { kind: 'cutAfter' } });
	const failed = await stack.api.run(workflow);
	expect(failed.error?.message).toMatch(/^Outcome unknown/);
	const sends = await countSendRequests(stack.sandbox);

	const retried = await stack.api.retry(failed.id);
	expect(retried.error?.message).toMatch(/^Outcome unknown/);
	expect(await countSendRequests(stack.sandbox)).toBe(sends);
	expect(await lettersTo(email)).toBe(1);
});

/** What the requests meet, in their order; those beyond are answered right. */
const meets = (...steps: Step[]) =>
	service.begin({ steps, handshakes: [], refused: [], namesThem: false });
const RIGHT: Step = { kind: 'right' };
const HELD: Step = { kind: 'held' };
const REFUSED: Step = {
	kind: 'answer',
	isDone: false,
	answer: { status: 422, body: { message: 'No', code: 'not-allowed' } },
};
const timesCarriedOut = () => [...service.ledger.values()].map((held) => held.length);
const idsGiven = () => [...service.ledger.values()].map(([{ id }]) => id);
const idsTold = ({ output }: Execution) =>
	Object.values(output)
		.at(-1)
		?.map(({ json }) => json.messageId ?? json.id);

/** A workflow that does it for as many items at the service that counts. */
async function saveCounted(operation: Operation, count: number, number = 1) {
	const world = { operation, number } as World;
	const items = Array.from({ length: count }, (_, item) => ({
		names: [nameOf(world, 0, item, 0)],
	}));
	const settings = { groups: false, retries: false, isVolatile: true, concurrency: 1 };
	const parameters = parametersOf(operation, settings, 'none');
	const type = operation === 'remind' ? 'requestConsent' : 'sendLetter';
	const name = `Counted ${operation} ${number}`;
	const nodes = [
		START,
		itemsFrom(files.offer(items)),
		node('Under Test', `${PACK}.${type}`, 1, parameters),
	];
	return await saveChain(stack, name, nodes, service.credential);
}

/** Two clicks on Retry. @returns both executions, and what is to happen meanwhile */
async function retryTwice({ id }: StoredWorkflow, failed: Execution, meanwhile: () => unknown) {
	const before = (await stack.api.executionIds(id)).length;
	const clicks = [stack.api.startRetry(failed.id), stack.api.startRetry(failed.id)];
	const begun = async () => (await stack.api.executionIds(id)).slice(before);
	await until('both to begin', async () => (await begun()).length === 2);
	await meanwhile();
	service.release();
	await Promise.all(clicks);
	return await Promise.all((await begun()).map((one) => stack.api.finished(one)));
}

describe.each(allAtNight<Operation>('send', 'resend', 'remind'))(
	'%s: a failed execution retried twice from the list',
	(operation) => {
		it('one after the other: each is carried out once, and the second tells what the first did', async () => {
			const workflow = await saveCounted(operation, 3);
			meets(RIGHT, REFUSED, RIGHT, REFUSED);
			const failed = await stack.api.run(workflow);
			expect((await stack.api.retry(failed.id)).status).toBe('error');
			const last = await stack.api.retry(failed.id);
			expect(timesCarriedOut()).toEqual([1, 1, 1]);
			expect([last.status, idsTold(last)]).toEqual(['success', idsGiven()]);
		});

		it('two at once: each is carried out once, and both tell all', async () => {
			const workflow = await saveCounted(operation, 3);
			meets(RIGHT, REFUSED, HELD);
			const failed = await stack.api.run(workflow);
			const both = await retryTwice(workflow, failed, () =>
				until('a request', async () => service.requests > 2),
			);
			expect(timesCarriedOut()).toEqual([1, 1, 1]);
			expect(both.map(({ status }) => status)).toEqual(['success', 'success']);
			expect(both.map(idsTold)).toEqual([idsGiven(), idsGiven()]);
		});
	},
);

it('a node that was cut and pasted between two retries sends nothing again', async () => {
	const workflow = await saveCounted('send', 3, 4);
	meets(RIGHT, REFUSED, RIGHT, REFUSED);
	const failed = await stack.api.run(workflow);
	await stack.api.retry(failed.id);
	const nodes = workflow.nodes.map((one) =>
		one.name === 'Under Test' ? { ...one, id: crypto.randomUUID() } : one,
	);
	await stack.api.saveWorkflow({ ...workflow, nodes });
	const last = await stack.api.retry(failed.id, true);
	expect(timesCarriedOut()).toEqual([1, 1, 1]);
	expect([last.status, idsTold(last)]).toEqual(['success', idsGiven()]);
});

/** Three letters, one after the other, by n8n's Loop Over Items. */
async function saveLoop(email: string, settings: object): Promise<StoredWorkflow> {
	const workflow = await saveChain(stack, `Loop ${email}`, [
		START,
		itemsFrom(files.offer([{ round: 1 }, { round: 2 }, { round: 3 }])),
		node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: 1, options: {} }),
		sendLetter(to(email), settings),
	]);
	// Output 1 of the loop is the loop body, output 0 the end.
	workflow.connections = {
		...workflow.connections,
		Loop: { main: [[], [{ node: 'Send Letter', type: 'main', index: 0 }]] },
		'Send Letter': { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
	};
	return await stack.api.saveWorkflow(workflow);
}

it('in a loop, each round sends its own letter, and Retry On Fail none twice', async () => {
	const email = 'looped@recipients.example';
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
	const looped = await saveLoop(email, settings);
	await fault({ skip: 1, fault: { kind: 'status', status: 422 } });
	const execution = await stack.api.run(looped);
	expect(execution).toMatchObject({ status: 'success', error: null });
	expect(await lettersTo(email)).toBe(3);
});

it('in a loop, a letter of unknown outcome is not taken for that of the next round', async () => {
	const email = 'lost-in-loop@recipients.example';
	const looped = await saveLoop(email, { onError: 'continueRegularOutput' });
	await fault({ times: 1, fault: { kind: 'cutAfter' } });
	const { status } = await stack.api.run(looped);
	expect([status, await lettersTo(email)]).toEqual(['success', 3]);
});

describe('under a Send Once Key', () => {
	let url: string;
	const email = 'keyed@recipients.example';

	beforeAll(async () => {
		const path = crypto.randomUUID();
		const workflow = await saveChain(stack, 'Keyed', [
			webhook(path, 'Webhook', 'lastNode'),
			sendLetter({ ...to(email), options: { sendOnceKey: '={{ $json.body.invoice }}' } }),
		]);
		await stack.api.activate(workflow.id);
		url = `${stack.n8n.url}/webhook/${path}`;
		await untilServed(url);
	});

	async function execute(invoice: string): Promise<Record<string, unknown>> {
		const answer = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ invoice }),
		});
		return (await answer.json()) as Record<string, unknown>;
	}

	it('executions at once send one letter, and give its id; so does one after n8n has started again', async () => {
		const before = await lettersTo(email);
		const answers = await Promise.all(Array.from({ length: 5 }, () => execute('INV-1')));
		expect(await lettersTo(email)).toBe(before + 1);
		expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(1);
		expect(answers[0].messageId).toMatch(/^\d{12}$/);
		expect(answers.filter(({ alreadySent }) => alreadySent === true)).toHaveLength(4);

		await stack.restartN8n();
		await untilServed(url);
		const [{ messageId }] = answers;
		expect(await execute('INV-1')).toMatchObject({ messageId, alreadySent: true });
	});
});
