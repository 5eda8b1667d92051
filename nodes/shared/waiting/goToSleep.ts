import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { readOptions } from '../fields/field';
import { errorJson, errorTextOf, resultOf } from '../items/perItem';
import { runMemory } from '../items/runMemory';
import type { Awaiting } from './awaiting';
import { GRACE_MS, readDeadline } from './deadline';
import { lastOutput, routeWithoutNews, toOutputs, type Outputs } from './outputs';
import { registerWait } from './registerWait';
import { digestOf, newSecret, rememberSleeping, type Sleeping } from './sleeping';
import { outputsIfStartedHere } from './startedHere';
import { outcomesOf } from './wakeUp';

/** One run of the node, before it sleeps or after it was resumed. */
export async function runAwaiting(
	context: IExecuteFunctions,
	awaiting: Awaiting,
	now: number,
): Promise<INodeExecutionData[][]> {
	return (
		outputsIfStartedHere(context, awaiting) ??
		outcomesOf(context, awaiting.outputs) ??
		(await goToSleep(context, awaiting, now))
	);
}

/**
 * Puts the execution to sleep, or says why not. With *On Error: Continue* every item then goes to
 * the last output with the error: n8n itself would pass the input to the first output, and each
 * would look accepted.
 *
 * @param now milliseconds since 1970
 */
async function goToSleep(
	context: IExecuteFunctions,
	awaiting: Awaiting,
	now: number,
): Promise<INodeExecutionData[][]> {
	const result = await resultOf(context, 0, async () => await register(context, awaiting, now));
	if ('value' in result) return result.value;
	if (!context.continueOnFail()) throw result.error;
	const { outputs } = awaiting;
	const input = context.getInputData();
	const added = errorJson(errorTextOf(result.error));
	return toOutputs(
		outputs,
		input.map((_, item) => ({ item, output: lastOutput(outputs), added })),
		input,
	);
}

/**
 * Registers the wait with the receiver, then puts the execution to sleep. Everything
 * that can fail comes before that: an execution never sleeps without something to wake it.
 */
async function register(
	context: IExecuteFunctions,
	awaiting: Awaiting,
	now: number,
): Promise<INodeExecutionData[][]> {
	const { outputs } = awaiting;
	const { itemsLeave } = readOptions(context, 0, { itemsLeave: awaiting.itemsLeave });
	const deadline = readDeadline(context, now);
	const { subjects, interims = [], ...items } = await awaiting.readAwaited(context, now, deadline);
	const waiting = { ...items, together: itemsLeave === 'together' };
	if (subjects === null || deadline <= now) {
		const reason = subjects === null ? 'complete' : 'deadline';
		return toOutputs(outputs, routeWithoutNews(outputs, waiting, reason), context.getInputData());
	}

	const secret = newSecret();
	const ends = [...interims, deadline].map((end) => new Date(end).toISOString());
	const sleeping: Sleeping = {
		...waiting,
		ends,
		waitId: waitIdOf(context),
		secretDigest: digestOf(secret),
		source: context.getExecuteData().source?.main[0] ?? null,
	};
	rememberSleeping(context, sleeping);
	await registerWait(context, awaiting, sleeping.waitId, subjects, { secret, deadline: ends[0] });
	await context.putExecutionToWait(new Date(deadline + GRACE_MS));
	return ifNobodyWakes(context, outputs, sleeping);
}

/**
 * A repeated attempt (*Retry On Fail*) replaces the previous wait instead of adding one. Not so an
 * execution retried from the list: it takes over the memory, and may be one of several that sleep.
 */
function waitIdOf(context: IExecuteFunctions): string {
	return (runMemory<string>(context, 'waits')[context.getExecutionId()] ??= randomUUID());
}

/**
 * What the items become if n8n wakes the execution itself, without outcomes: they go to the last
 * output.
 *
 * On its own, n8n 2.41 would return the node's input on the **first** output, and everybody would
 * look like having accepted. It returns what is in the execution's data, so the outputs are put
 * there, one by one, and `forwardAllOutputs` tells n8n that these are outputs. Each output needs a
 * source, since n8n takes an output's index for that of an input when it pairs the items.
 */
function ifNobodyWakes(
	context: IExecuteFunctions,
	outputs: Outputs,
	sleeping: Sleeping,
): INodeExecutionData[][] {
	const items = toOutputs(outputs, routeWithoutNews(outputs, sleeping), context.getInputData());
	const data = context.getExecuteData();
	data.data.main = items;
	const source = data.source?.main[0];
	if (data.source && source) data.source.main = outputs.names.map(() => source);
	context.setMetadata({ forwardAllOutputs: true });
	return items;
}
