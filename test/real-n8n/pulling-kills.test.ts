// Kills in any order under load, and a second n8n next to the first: every event that the receiver
// acknowledged starts exactly one execution.
//
// PULLING_ROUNDS=20 kills for 20 rounds instead of one; PULLING_SEED repeats a run.
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';

import type { StoredWorkflow } from '../n8n/api.ts';
import { readExecutions } from '../n8n/executions.ts';
import { until } from '../n8n/poll.ts';
import { type SecondN8n, startSecondN8n } from '../n8n/second-n8n.ts';
import { isNightly } from '../support/ring.ts';
import { byReceiver } from '../support/sandbox.ts';
import { post, startLoad } from './load.ts';
import { saveScene } from './pulling.ts';
import { expectEachOnce } from './witness.ts';
import { stack, useStack } from './use-stack.ts';

const ROUNDS = Number(process.env.PULLING_ROUNDS ?? 1);
/** Two processors take minutes to work off what 300 a second leave behind. */
const EVENTS_A_SECOND = isNightly ? 300 : 90;
const BLOWS_A_ROUND = isNightly ? 3 : 2;
const SEED = Number(process.env.PULLING_SEED ?? Date.now() % 1_000_000);

jest.setTimeout(240_000 + ROUNDS * 120_000);

useStack({ ownProcesses: true });

/** Ways to take a process down, and to bring it back after a while. */
const BLOWS = {
	'n8n killed': [() => stack.n8n.kill(), () => stack.startN8n()],
	'n8n stopped': [() => stack.n8n.stop(), () => stack.startN8n()],
	'receiver killed': [() => stack.killReceiver(), () => stack.startReceiver()],
	'receiver stopped': [() => stack.stopReceiver(), () => stack.startReceiver()],
} satisfies Record<string, [() => Promise<void>, () => Promise<void>]>;
type Blow = keyof typeof BLOWS;

const ALL_BLOWS: Blow[][] = [
	['n8n killed'],
	['receiver killed'],
	['n8n killed', 'receiver killed'],
	['receiver killed', 'n8n killed'],
	['n8n stopped', 'receiver stopped'],
];

/** Each round deals some of the blows, in a different order and at different moments. */
const schedule = fc.sample(
	fc.array(
		fc.record({
			parts: fc.constantFrom(...ALL_BLOWS),
			after: fc.nat(1500),
			between: fc.nat(300),
			away: fc.nat(1000),
		}),
		{ minLength: BLOWS_A_ROUND, maxLength: BLOWS_A_ROUND },
	),
	{ numRuns: ROUNDS, seed: SEED },
);

it(`n8n and receiver killed in any order under ${EVENTS_A_SECOND} events a second (seed ${SEED})`, async () => {
	const many = await saveScene(stack, 'Many', 'Many', {
		options: { batchSize: 25, maxConcurrentExecutions: 5 },
	});
	const single = await saveScene(stack, 'Single', 'Single', {
		options: { batchSize: 1, maxConcurrentExecutions: 3 },
	});
	await stack.activate(many);
	await stack.activate(single);
	const loads = [
		startLoad(stack, 'Many', EVENTS_A_SECOND),
		startLoad(stack, 'Single', EVENTS_A_SECOND / 10),
	];

	for (const { parts, after, between, away } of schedule.flat()) {
		await sleep(after);
		for (const part of parts) {
			await BLOWS[part][0]();
			await sleep(between);
		}
		await sleep(away);
		// n8n takes seconds to start, minutes on a slow machine: events sent meanwhile prove no more.
		for (const load of loads) load.isPaused = true;
		for (const part of parts) await BLOWS[part][1]();
		for (const load of loads) load.isPaused = false;
	}
	const [manyTaken, singleTaken] = await Promise.all(loads.map((load) => load.stop()));
	for (const { id } of [many, single]) {
		await stack.receiverApi.untilHeld(id, 1, 120);
		await stack.receiverApi.untilDrained(id, 120 + ROUNDS * 30);
	}

	const seen = await expectEachOnce(stack, {
		workflowId: many.id,
		reference: 'Many',
		acknowledged: manyTaken,
	});
	expect(seen.largest).toBeGreaterThan(1);
	await expectEachOnce(stack, {
		workflowId: single.id,
		reference: 'Single',
		acknowledged: singleTaken,
	});
	await stack.deactivate(many);
	await stack.deactivate(single);
});

describe('a second n8n', () => {
	let workflow: StoredWorkflow;
	let copy: SecondN8n;
	let first: Set<string>;
	/** What the copy says of the workflow; n8n shows it only for a while. */
	let told: Promise<string>;

	beforeAll(async () => {
		workflow = await saveScene(stack, 'Copied', 'Copied');
		await stack.activate(workflow);
		copy = await startSecondN8n(stack, { name: 'copy', isCopy: true });
		// A previous process killed while the receiver was down is tolerated for 45 s.
		told = until('word of it in the second', () => copy.api.problemOf(workflow.id), 240);
		told.catch(() => undefined);
	}, 300_000);

	afterAll(async () => {
		await copy?.host.stop();
	});

	it('with the same identity is refused, and starts nothing', async () => {
		const { id } = workflow;
		await until('its refusal', async () => {
			const [consumer] = await stack.receiverApi.consumersOf(id);
			return consumer.rivalAt !== null;
		});
		first = await post(stack, 'Copied', 20);
		await stack.receiverApi.untilDrained(id);
		await expectEachOnce(stack, { workflowId: id, reference: 'Copied', acknowledged: first });
		expect(readExecutions(copy.database, id)).toEqual([]);
	});

	it('with an identity of its own and the same workflow: each gets every event', async () => {
		const shared = await saveScene(stack, 'Shared', 'Shared');
		await stack.activate(shared);
		const other = await startSecondN8n(stack, { name: 'other', isCopy: false });
		try {
			const name = 'Receiver';
			const data = byReceiver(stack.receiver.url, stack.managementToken);
			const id = await other.api.saveCredential(name, 'registeredDeliveryApi', data);
			const credential = { id, name };
			const imported = await saveScene(stack, 'Shared', 'Shared', { credential, api: other.api });
			await other.api.activate(imported.id);
			await stack.receiverApi.untilHeld(imported.id, 1);
			const acknowledged = await post(stack, 'Shared', 20);
			for (const { id } of [shared, imported]) await stack.receiverApi.untilDrained(id);
			const claim = { reference: 'Shared', acknowledged };
			await expectEachOnce(stack, { ...claim, workflowId: shared.id });
			const { database } = other;
			await expectEachOnce(stack, { ...claim, workflowId: imported.id, database });

			await other.api.deactivate(imported.id);
			await stack.receiverApi.untilHeld(imported.id, 0);
			const more = await post(stack, 'Shared', 10);
			await stack.receiverApi.untilDrained(shared.id);
			await expectEachOnce(stack, {
				workflowId: shared.id,
				reference: 'Shared',
				acknowledged: new Set([...acknowledged, ...more]),
			});
		} finally {
			await other.host.stop();
		}
	});

	it('with the same identity is told so in n8n, and takes over when the first is killed', async () => {
		const { id } = workflow;
		expect(await told).toContain('same identity');

		await stack.n8n.kill();
		try {
			await stack.receiverApi.untilHeld(id, 1);
			const second = await post(stack, 'Copied', 20);
			await stack.receiverApi.untilDrained(id);
			const acknowledged = new Set([...first, ...second]);
			const claim = { workflowId: id, reference: 'Copied', acknowledged };
			await expectEachOnce(stack, { ...claim, except: first, database: copy.database });
			await expectEachOnce(stack, { ...claim, except: second });
		} finally {
			await stack.startN8n();
		}
	});
});
