// The trigger that pulls, with pauses a hundred times longer: what n8n does in them.
import { setTimeout as sleep } from 'node:timers/promises';
import type * as Workflow from 'n8n-workflow';

import { eventOf, until } from './pulled-receiver.ts';
import { isHeld, n8n, publish, pulls, receiver, started, usePulling } from './pulling.ts';

jest.mock('n8n-workflow', () => {
	const n8n = jest.requireActual<typeof Workflow>('n8n-workflow');
	return {
		...n8n,
		sleep: async (ms: number, signal?: AbortSignal) => await n8n.sleep(ms * 100, signal),
	};
});

usePulling();

it('n8n starts what came before it sends the next pull, unless that has ended by then', async () => {
	n8n.endsAtOnce = false;
	await publish();
	await isHeld();
	const { length } = pulls();
	await receiver.serviceSends(eventOf(1));
	await started(1);
	await sleep(500);
	expect(pulls()).toHaveLength(length);
	n8n.database.executions[0].end();
	await until(() => pulls().length >= length + 2, 'the next pulls');
	expect(pulls().slice(length)).toMatchObject([
		{ holdMs: 0, settle: [{ outcome: 'ack' }] },
		{ holdMs: 20_000, settle: [] },
	]);
});
