import { setTimeout } from 'node:timers/promises';
import type * as Workflow from 'n8n-workflow';

/** How many times, unless said otherwise. */
const SHORTER = 50;

/**
 * n8n-workflow with pauses fifty times shorter: the nodes' own, between tries and for a key that
 * another sender is using. All else is real. For `jest.mock('n8n-workflow', …)`.
 *
 * They do not keep the tests' process alive: an n8n that a test kills, or leaves while its executions run,
 * goes on waiting.
 */
export function withShortPauses(times = SHORTER): typeof Workflow {
	const n8n = jest.requireActual<typeof Workflow>('n8n-workflow');
	return {
		...n8n,
		sleep: async (ms: number, signal?: AbortSignal) =>
			await setTimeout(ms / times, undefined, { signal, ref: false }),
	};
}

/** The same, and the clock as much faster: for nodes that ask again and again, at times that they reckon. */
export function withHurriedClock(times = SHORTER): typeof Workflow {
	const { now } = Date;
	const since = now();
	jest.spyOn(Date, 'now').mockImplementation(() => since + (now() - since) * times);
	return withShortPauses(times);
}
