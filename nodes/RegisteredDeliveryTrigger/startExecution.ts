import type {
	IExecuteResponsePromiseData,
	INodeExecutionData,
	IRun,
	ITriggerFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

/**
 * In queue mode n8n's done promise never resolves for an execution that a worker finishes just as n8n
 * begins to listen for its end: bull has removed the job by then. Under load this happens to one
 * execution in a few hundred. The response promise resolves by a message of the worker's own, sent at
 * the end as well (earlier only from Respond to Webhook, which has no place behind this trigger). So
 * once it has, n8n gets this long to report the end itself.
 */
const GRACE_MS = 5_000;

/** Limit for the case that n8n gets no message, as when its connection to Redis breaks. */
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
	const response = context.helpers.createDeferredPromise<IExecuteResponsePromiseData>();
	context.emit([items], response, done, `registered-delivery~${batchId}`);
	const ended = done.promise.catch((error: Error) => {
		if (!wasEnded(error)) throw error;
	});
	const settled = new AbortController();
	const pause = async (milliseconds: number) => await sleep(milliseconds, settled.signal);
	const reported = response.promise.catch(() => undefined).then(() => pause(GRACE_MS));
	await Promise.race([ended, reported, pause(LONGEST_MS)]).finally(() => settled.abort());
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
