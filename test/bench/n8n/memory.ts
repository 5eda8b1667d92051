import type { StoredWorkflow } from '../../n8n/api.ts';
import { residentMemory, resetPeak } from '../../support/memory.ts';
import { sharedN8n } from './stack.ts';

/** Bytes in a megabyte, as the interface counts them. */
export const MB = 1024 * 1024;

/** Memory that n8n takes and frees anyway, whatever it runs; a ratio of less would say nothing. */
const NOISE_MB = 1;

export interface MemoryPlan {
	warmUp: StoredWorkflow[];
	measured: StoredWorkflow;
	/** Whether n8n restarts; half a minute on a busy machine, which a short run skips. */
	restart: boolean;
}

/**
 * What a run adds to n8n's peak resident memory, in MB, beyond n8n's usual: n8n restarts, so that
 * leftovers of an earlier run count for neither side, and first runs other workflows, until code is
 * loaded and compiled.
 *
 * @param run runs a workflow, and calls `begin` where measuring begins
 */
export async function addedMemory(
	{ warmUp, measured, restart }: MemoryPlan,
	run: (workflow: StoredWorkflow, begin: () => Promise<void>) => Promise<void>,
): Promise<number> {
	const { stack } = await sharedN8n();
	if (restart) await stack.restartN8n();
	for (const workflow of warmUp) await run(workflow, async () => undefined);
	let before = 0;
	await run(measured, async () => {
		await resetPeak(stack.n8n.pid);
		before = await residentMemory(stack.n8n.pid, 'VmRSS');
	});
	const added = ((await residentMemory(stack.n8n.pid, 'VmHWM')) - before) / MB;
	return Math.max(added, NOISE_MB);
}
