// PostgreSQL stopped with -m immediate under two receivers: every event that one of them acknowledged
// starts exactly one execution in a real n8n. The suite `faults` has more such stories, with a
// stand-in for n8n.
//
// FAULT_ROUNDS=20 stops it 60 times instead of three.
import { cleanUp } from '../contract/receiver/harness.ts';
import { startPostgres, type PostgresServer } from '../contract/receiver/postgres-server.ts';
import { readExecutions } from '../n8n/executions.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { startLoad } from './load.ts';
import { saveScene } from './pulling.ts';
import { startReceivers, type Receivers } from './receivers.ts';
import { expectEachOnce } from './witness.ts';

const RESTARTS = 3 * Number(process.env.FAULT_ROUNDS ?? 1);

jest.setTimeout(240_000 + RESTARTS * 30_000);

let stack: Stack;
let postgres: PostgresServer;
let pair: Receivers;

beforeAll(async () => {
	postgres = await startPostgres();
	stack = await startTemporaryStack();
	pair = await startReceivers(stack, await postgres.freshDatabase());
}, 300_000);

afterAll(async () => {
	await stack?.close();
	await pair?.close();
	await cleanUp();
	await postgres?.stop();
}, 120_000);

it('[STAT-05][R] PostgreSQL -m immediate under 300 events a second: each event runs once', async () => {
	const { id, ...workflow } = await saveScene(stack, 'Restarts', 'Restarts', {
		options: { batchSize: 25, atOnce: 5 },
	});
	await stack.activate({ id, ...workflow });
	const load = startLoad(stack, 'Restarts', 300);
	const started = () => readExecutions(stack.n8nDatabase, id).length;
	for (let n = 0; n < RESTARTS; n++) {
		const before = started();
		await until('n8n to go on', async () => started() > before + 3);
		await postgres.kill();
		await postgres.start();
	}
	const acknowledged = await load.stop();
	await stack.receiverApi.untilHeld(id, 1);
	await stack.receiverApi.untilDrained(id, 180 + RESTARTS * 10);
	const claim = { workflowId: id, reference: 'Restarts', acknowledged };
	const { events } = await expectEachOnce(stack, claim);
	expect(events).toBe(acknowledged.size);
	expect(events).toBeGreaterThan(300);
});
