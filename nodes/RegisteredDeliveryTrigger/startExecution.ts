import type { INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

/**
 * In queue mode n8n never hears of the end of an execution that a worker finishes in the very moment
 * in which n8n begins to listen for it (bull removes the job, and then knows it no longer). Seen under
 * load, twice in 500. So after this long a batch no longer holds up those behind it.
 */
const LONGEST_MS = 10 * 60_000;

/**
 * Starts one execution for a batch, and resolves when it has ended, failed or sleeps, after ten
 * minutes, or if this batch already had one: n8n keeps the key with the execution, and starts nothing
 * twice under it.
 *
 * @throws n8n's error if there is none, or if n8n stops and cannot tell what became of it
 */
export async function startExecution(
	context: ITriggerFunctions,
	batchId: string,
	items: INodeExecutionData[],
): Promise<void> {
	const done = context.helpers.createDeferredPromise<IRun>();
	context.emit([items], undefined, done, `registered-delivery~${batchId}`);
	const ended = done.promise.catch((error: Error) => {
		if (!wasEnded(error)) throw error;
	});
	const settled = new AbortController();
	const tooLong = sleep(LONGEST_MS, settled.signal);
	await Promise.race([ended, tooLong]).finally(() => settled.abort());
}

/** Starts a test's single execution without waiting: n8n closes the trigger before it runs. */
export function startTest(context: ITriggerFunctions, items: INodeExecutionData[]): void {
	context.emit([items]);
}

// A cancelled or timed-out execution settles its batch, which is not redelivered.
function wasEnded(error: Error): boolean {
	const { reason } = error as { reason?: unknown };
	return reason === 'manual' || reason === 'timeout';
}
