import type {
	IExecuteResponsePromiseData,
	INodeExecutionData,
	IRun,
	ITriggerFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { shortened } from '../shared/transport/plainText';

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
 * @returns null, or why n8n has the events no more, and nobody can retry the execution there
 * @throws n8n's error if there is none, or if n8n stops and cannot tell what became of it
 */
export async function startExecution(
	context: ITriggerFunctions,
	batchId: string,
	items: INodeExecutionData[],
): Promise<string | null> {
	const done = context.helpers.createDeferredPromise<IRun>();
	const response = context.helpers.createDeferredPromise<IExecuteResponsePromiseData>();
	context.emit([items], response, done, `registered-delivery~${batchId}`);
	const ended = done.promise.then(whyLost, (error: Error) => {
		if (!wasEnded(error)) throw error;
		return null;
	});
	const settled = new AbortController();
	const pause = async (milliseconds: number) => {
		await sleep(milliseconds, settled.signal);
		return null;
	};
	const reported = response.promise.catch(() => undefined).then(() => pause(GRACE_MS));
	return await Promise.race([ended, reported, pause(LONGEST_MS)]).finally(() => settled.abort());
}

/** Starts a test's single execution without waiting: n8n closes the trigger before it runs. */
export function startTest(context: ITriggerFunctions, items: INodeExecutionData[]): null {
	context.emit([items]);
	return null;
}

// A cancelled or timed-out execution settles its batch, which is not redelivered.
function wasEnded(error: Error): boolean {
	const { reason } = error as { reason?: unknown };
	return reason === 'manual' || reason === 'timeout';
}

/**
 * n8n records the trigger first, whatever fails later. But if it fails an execution as a whole, as
 * when its worker died, it stores the failure in place of the events.
 *
 * @param run undefined if the batch already had its execution
 */
function whyLost(run: IRun | undefined): string | null {
	if (run?.status !== 'error') return null;
	const { error, lastNodeExecuted, runData } = run.data.resultData;
	if (lastNodeExecuted !== undefined || Object.keys(runData).length > 0) return null;
	return shortened(
		`n8n failed the execution and stored none of its events, so it cannot be retried there. ${error?.message ?? ''}`,
	);
}
