import type { StoredWorkflow } from '../n8n/api.ts';
import type { Stack } from '../n8n/stack.ts';
import { residentMemory, resetPeak } from '../support/memory.ts';

/** Bytes of a megabyte, in which the interface counts. */
export const MB = 1024 * 1024;

/** What n8n takes and gives back meanwhile, whatever it runs; a ratio of less would say nothing. */
const NOISE_MB = 1;

export interface MemoryPlan {
	warmUp: StoredWorkflow[];
	measured: StoredWorkflow;
	/** Whether n8n starts anew; half a minute on a busy machine, which a short run does without. */
	anew: boolean;
}

/**
 * What a run adds to n8n's resident memory at its peak, in MB, beside what n8n has anyway: n8n is started
 * anew, so that nothing an earlier run has left behind counts for either side, and runs the workflow for
 * something small first, until code is loaded and compiled.
 *
 * @param run runs a workflow, and calls `begin` where measuring begins
 */
export async function addedMemory(
	stack: Stack,
	{ warmUp, measured, anew }: MemoryPlan,
	run: (workflow: StoredWorkflow, begin: () => Promise<void>) => Promise<void>,
): Promise<number> {
	if (anew) await stack.restartN8n();
	for (const workflow of warmUp) await run(workflow, async () => undefined);
	let before = 0;
	await run(measured, async () => {
		await resetPeak(stack.n8n.pid);
		before = await residentMemory(stack.n8n.pid, 'VmRSS');
	});
	const added = ((await residentMemory(stack.n8n.pid, 'VmHWM')) - before) / MB;
	return Math.max(added, NOISE_MB);
}
