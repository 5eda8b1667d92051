import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { trackedMailGoalSchema } from '../../webhook-receiver/src/core/wait-contract';
import { Options } from '../shared/fields/options';
import { errorJson, resultOf } from '../shared/items/perItem';
import { rememberLetters } from '../shared/items/rememberLetters';
import { runMemory } from '../shared/items/runMemory';
import { readAwaited } from './awaited';
import { readDeadline } from './deadline';
import { leavingUntold, OUTPUT_NAMES, PENDING, toOutputs } from './outputs';
import { registerWait } from './registerWait';
import { digestOf, newSecret, rememberSleeping, type Sleeping } from './sleeping';

/** How long after the deadline n8n wakes the execution itself if nobody has. */
const GRACE_MS = 5 * 60_000;

/**
 * Puts the execution to sleep, or says why not. With *On Error: Continue* every item then goes to
 * "Pending" with the error: n8n itself would pass the input to the first output, and each letter
 * would look accepted.
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
 * Registers the wait with the receiver, then puts the execution to sleep (design § 10). Everything
 * that can fail comes before that: an execution never sleeps without something to wake it.
 */
async function register(context: IExecuteFunctions, now: number): Promise<INodeExecutionData[][]> {
	const { messages, ...items } = await readAwaited(context);
	rememberLetters(
		context,
		messages.map(({ messageId }) => messageId),
	);
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

/** A repeated attempt (*Retry On Fail*) replaces the previous wait instead of adding one. */
function waitIdOf(context: IExecuteFunctions): string {
	const kept = runMemory<string>(context, 'waits');
	return (kept.id ??= randomUUID());
}

/**
 * What the items become if n8n wakes the execution itself, without outcomes: they go to "Pending".
 *
 * On its own, n8n 2.41 would return the node's input on the **first** output, and every letter
 * would look accepted. It returns what is in the execution's data, so the outputs are put there,
 * one by one, and `forwardAllOutputs` tells n8n that these are outputs. Each output needs a source,
 * since n8n takes an output's index for that of an input when it pairs the items.
 */
function ifNobodyWakes(context: IExecuteFunctions, sleeping: Sleeping): INodeExecutionData[][] {
	const outputs = toOutputs(leavingUntold(sleeping), context.getInputData());
	const data = context.getExecuteData();
	data.data.main = outputs;
	const source = data.source?.main[0];
	if (data.source && source) data.source.main = OUTPUT_NAMES.map(() => source);
	context.setMetadata({ forwardAllOutputs: true });
	return outputs;
}
