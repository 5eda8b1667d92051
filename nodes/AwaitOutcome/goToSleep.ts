import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { trackedMailGoalSchema } from '../../webhook-receiver/src/wait/wait-contract';
import { Options } from '../shared/options';
import { errorJson, resultOf } from '../shared/perItem';
import { runMemory } from '../shared/runMemory';
import { readAwaited } from './awaited';
import { ifNobodyWakes } from './backstop';
import { leavingUntold, PENDING, toOutputs } from './outputs';
import { readDeadline } from './readDeadline';
import { registerWait } from './registerWait';
import { rememberSleeping, type Sleeping } from './sleeping';
import { digestOf, newSecret } from './waitSecret';

/** How long after the deadline n8n wakes the execution itself, should nobody have done so. */
const GRACE_MS = 5 * 60_000;

/**
 * Puts the execution to sleep, or says why not. With *On Error: Continue* every item then leaves by
 * "Pending" with the error: n8n itself would pass the input to the first output, and each letter would
 * be taken for accepted.
 *
 * @param now milliseconds since 1970
 */
export async function goToSleep(
	context: IExecuteFunctions,
	now: number,
): Promise<INodeExecutionData[][]> {
	const result = await resultOf(context, 0, async () => await register(context, now));
	if ('value' in result) return result.value;
	if (!context.continueOnFail()) throw result.error;
	const input = context.getInputData();
	const added = errorJson(result.error);
	return toOutputs(
		input.map((_, item) => ({ item, output: PENDING, added })),
		input,
	);
}

/**
 * Registers what is waited for with the receiver, then puts the execution to sleep (design § 10). What
 * can go wrong does so before: an execution never sleeps without somebody to wake it.
 */
async function register(context: IExecuteFunctions, now: number): Promise<INodeExecutionData[][]> {
	const { messages, ...items } = await readAwaited(context);
	const options = Options.of(context, 0);
	const itemsLeave = options.choice('itemsLeave', 'Items Leave', ['each', 'together']);
	const goals = trackedMailGoalSchema.options;
	const trackedMailGoal = options.choice('trackedMailGoal', 'Tracked Mail Is Done When', goals);
	const deadline = readDeadline(context, now);
	const waiting = { ...items, together: itemsLeave === 'together' };
	if (messages.length === 0 || deadline <= now) {
		return toOutputs(leavingUntold(waiting), context.getInputData());
	}

	const secret = newSecret();
	const sleeping: Sleeping = {
		...waiting,
		waitId: waitIdOf(context),
		secretDigest: digestOf(secret),
		source: context.getExecuteData().source?.main[0] ?? null,
	};
	rememberSleeping(context, sleeping);
	await registerWait(context, sleeping.waitId, {
		secret,
		messages,
		deadline: new Date(deadline).toISOString(),
		trackedMailGoal: trackedMailGoal ?? goals[0],
	});
	await context.putExecutionToWait(new Date(deadline + GRACE_MS));
	return ifNobodyWakes(context, sleeping);
}

/** A repeated attempt (*Retry On Fail*) replaces the wait of the one before, instead of adding one. */
function waitIdOf(context: IExecuteFunctions): string {
	const kept = runMemory<string>(context, 'waits');
	return (kept.id ??= randomUUID());
}
