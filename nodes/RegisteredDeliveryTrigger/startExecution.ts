import type {
	IExecuteResponsePromiseData,
	INodeExecutionData,
	IRun,
	ITriggerFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Batch } from '../../webhook-receiver/src/core/pull-contract';
import type { Started } from '../shared/consumer/consumerPlan';
import { shortened } from '../shared/fields/plainText';

/**
 * In queue mode n8n's done promise never resolves for an execution that a worker finishes just as n8n
 * begins to listen for its end: bull has removed the job by then. Under load this happens to one
 * execution in a few hundred. The response promise resolves by a message of the worker's own, sent at
 * the end as well (earlier only from Respond to Webhook, which has no place behind this trigger). So
 * once it has, n8n gets this long to report the end itself.
 */
const REPORT_MS = 5_000;

/** Limit for the case that n8n gets no message, as when its connection to Redis breaks. */
const LONGEST_WATCHED_MS = 10 * 60_000;

/** What became of one attempt to start an execution. */
type Start =
	/** It has ended, sleeps, or has taken too long to wait for. */
	| { kind: 'started'; lost: string | null }
	/** There is one under this key. */
	| { kind: 'known' }
	/** n8n rejected it, and may have stored it all the same. */
	| { kind: 'rejected'; error: Error }
	/** n8n stops, and cannot tell what became of it. */
	| { kind: 'cancelled'; error: Error };

/**
 * Starts one execution for a batch, and resolves when it has ended, failed or sleeps, or if the batch already
 * had one: n8n keeps the key with the execution, and starts nothing twice under it.
 *
 * It waits for ten minutes at most. By then the execution is stored, since n8n's own limits on its database
 * are shorter, though it may still wait for capacity. It waits on while the workflow is not published: it may
 * have been deleted, and then n8n 2.41 never tells of the end of an execution that waited for capacity.
 *
 * n8n may store a start that it rejects, without the events: where a node's credential is gone or has no id,
 * or Redis is away in queue mode. So n8n is asked again at once under the same key. If it then has an
 * execution, that is the failed one, and the events are lost; unless an earlier process had the batch, whose
 * execution may have them: a person has to look. A process that dies before it reports this leaves the batch
 * to the next one, which finds an execution and cannot see what it holds: the batch is done then, and says so.
 *
 * @returns what to report
 * @throws n8n's error if there is none, or if n8n stops and cannot tell what became of it
 */
export async function startExecution(
	context: ITriggerFunctions,
	{ id: batchId, attempt }: Pick<Batch, 'id' | 'attempt'>,
	items: INodeExecutionData[],
	isPublished: () => boolean,
): Promise<Started> {
	let end = await start(context, batchId, items, isPublished);
	if (end.kind === 'rejected') {
		const isFirst = rejections.get(batchId)?.isFirst ?? attempt === 1;
		rejections.set(batchId, { error: end.error, isFirst });
		end = await start(context, batchId, items, isPublished);
	}
	if (end.kind === 'rejected') throw end.error;
	const rejection = rejections.get(batchId);
	rejections.delete(batchId);
	if (end.kind === 'cancelled') throw end.error;
	if (end.kind === 'started') return settled(end.lost);
	if (rejection === undefined) return { outcome: 'ack', reason: FOUND };
	return settled((rejection.isFirst ? lostBy : maybeLostBy)(rejection.error));
}

/**
 * Starts that n8n rejected in this process, by batch, until it is known what became of them; and whether no
 * earlier process had the batch.
 */
const rejections = new Map<string, { error: Error; isFirst: boolean }>();

const FOUND = 'n8n already had an execution of this batch, from before it was restarted.';

function settled(lost: string | null): Started {
	return lost === null ? { outcome: 'ack' } : { outcome: 'term', reason: lost };
}

async function start(
	context: ITriggerFunctions,
	batchId: string,
	items: INodeExecutionData[],
	isPublished: () => boolean,
): Promise<Start> {
	const done = context.helpers.createDeferredPromise<IRun>();
	const response = context.helpers.createDeferredPromise<IExecuteResponsePromiseData>();
	context.emit([items], response, done, `registered-delivery~${batchId}`);
	const decided = new AbortController();
	const pause = async (milliseconds: number): Promise<Start> => {
		await sleep(milliseconds, decided.signal);
		return { kind: 'started', lost: null };
	};
	const silence = async (): Promise<Start> => {
		let end = await pause(LONGEST_WATCHED_MS);
		while (!isPublished()) end = await pause(LONGEST_WATCHED_MS);
		return end;
	};
	// What n8n says of a failed start itself; the run's promise then says only that there is none.
	const failed: { error?: Error } = {};
	const ended = done.promise.then(
		(run: IRun | undefined) => (run === undefined ? unstarted(failed.error) : endOf(run)),
		(error: Error): Start =>
			wasEnded(error) ? { kind: 'started', lost: null } : unstarted(failed.error ?? error),
	);
	const reported = response.promise.then(
		() => pause(REPORT_MS),
		(error: Error) => {
			failed.error = error;
			return silence();
		},
	);
	return await Promise.race([ended, reported, silence()]).finally(() => decided.abort());
}

// A cancelled or timed-out execution settles its batch, which is not redelivered.
function wasEnded(error: Error): boolean {
	const { reason } = error as { reason?: unknown };
	return reason === 'manual' || reason === 'timeout';
}

function unstarted(error: Error | undefined): Start {
	if (error === undefined) return { kind: 'known' };
	// Of n8n's errors, only those of an execution that it had started have a reason.
	return { kind: 'reason' in error ? 'cancelled' : 'rejected', error };
}

/**
 * n8n records the trigger first, whatever fails later. But if it fails an execution as a whole, as
 * when its worker died, it stores the failure in place of the events.
 */
function endOf(run: IRun): Start {
	if (run.status !== 'error') return { kind: 'started', lost: null };
	const { error, lastNodeExecuted, runData } = run.data.resultData;
	const isKept = lastNodeExecuted !== undefined || Object.keys(runData).length > 0;
	return { kind: 'started', lost: isKept ? null : lostBy(error) };
}

function lostBy(error: { message: string } | undefined): string {
	return shortened(
		`n8n failed the execution and stored none of its events, so it cannot be retried there. ${error?.message ?? ''}`,
	);
}

function maybeLostBy({ message }: { message: string }): string {
	return shortened(
		`n8n has an execution of this batch, and refused another. Look for it in n8n: if it has the events, do not retry this, or they are handled twice. ${message}`,
	);
}
