// The trigger that pulls, with pauses that only the node itself ends: what n8n does in them.
import type * as Workflow from 'n8n-workflow';

import { until } from '../contract/receiver/harness.ts';
import { eventOf } from './pulled-receiver.ts';
import { isHeld, n8n, publish, pulls, receiver, started, usePulling } from './pulling.ts';

jest.mock('n8n-workflow', () => {
	const n8n = jest.requireActual<typeof Workflow>('n8n-workflow');
	return {
		...n8n,
		sleep: async (milliseconds: number, signal: AbortSignal) => {
			// Not those that only limit how long something may take.
			if (milliseconds < 60_000) mockPauses.begun++;
			mockPauses.open++;
			await n8n.sleep(2 ** 31 - 1, signal).finally(() => mockPauses.open--);
		},
	};
});

const mockPauses = { begun: 0, open: 0 };

usePulling();

it('n8n starts what came before it sends the next pull, unless that has ended by then', async () => {
	n8n.endsAtOnce = false;
	await publish();
	await isHeld();
	const { length } = pulls();
	await receiver.serviceSends(eventOf(1));
	await started(1);
	await until(() => mockPauses.begun === 1, 'the pause');
	expect(pulls()).toHaveLength(length);
	n8n.database.executions[0].end();
	await until(() => pulls().length >= length + 2, 'the next pulls');
	expect(pulls().slice(length)).toMatchObject([
		{ openMs: 0, settle: [{ outcome: 'ack' }] },
		{ openMs: 20_000, settle: [] },
	]);
});

it('closed, n8n has no pause left that would keep it from stopping', async () => {
	await publish();
	await isHeld();
	await n8n.close();
	await until(() => n8n.wire.unanswered.size === 0, 'the end of the pull');
	expect(mockPauses.open).toBe(0);
});
