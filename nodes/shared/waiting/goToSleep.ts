import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { instanceName } from '../consumer/consumerKey';
import { readOptions } from '../fields/field';
import { expectAsleep } from '../following/follower';
import { AGAIN_MS } from '../following/pace';
import { errorJson, errorTextOf } from '../items/itemError';
import { resultOf } from '../items/perItem';
import { runMemory } from '../items/runMemory';
import type { Awaiting } from './awaiting';
import { GRACE_MS, INTERIM_PATIENCE_MS, readDeadline } from './deadline';
import { isFollowedByN8n, letN8nFollow } from './letN8nFollow';
import { lastOutput, routeWithoutNews, toOutputs, type Outputs } from './outputs';
import { registerWait } from './registerWait';
import {
	digestOf,
	newSecret,
	rememberedSleeping,
	rememberSleeping,
	wakeUpUrl,
	type Sleeping,
} from '../following/sleeping';
import { outputsIfStartedHere } from './startedHere';
import { openOf, outcomesOf } from './wakeUp';

/** One run of the node, before it sleeps or after it was resumed. */
export async function runAwaiting(
	context: IExecuteFunctions,
	awaiting: Awaiting,
	now: number,
): Promise<INodeExecutionData[][]> {
	return (
		outputsIfStartedHere(context, awaiting) ??
		outcomesOf(context, awaiting.outputs) ??
		(await actAndSleepOn(context, awaiting, now)) ??
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
	const result = await resultOf(context, async () => await register(context, awaiting, now));
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
 * Registers the wait with the receiver, unless n8n itself follows, then puts the execution to sleep. Everything
 * that can fail comes before that: an execution never sleeps without something to wake it.
 */
async function register(
	context: IExecuteFunctions,
	awaiting: Awaiting,
	now: number,
): Promise<INodeExecutionData[][]> {
	const { outputs } = awaiting;
	const byN8n = await isFollowedByN8n(context);
	const { routeItems } = readOptions(context, 0, { routeItems: awaiting.routeItems });
	const deadline = readDeadline(context, now);
	const { subjects, interims = [], ...items } = await awaiting.readAwaited(context, now, deadline);
	const waiting = { ...items, together: routeItems === 'all' };
	if (subjects === null || deadline <= now) {
		const reason = subjects === null ? 'complete' : 'deadline';
		return toOutputs(outputs, routeWithoutNews(outputs, waiting, reason), context.getInputData());
	}

	const secret = newSecret();
	const ends = [...interims, deadline].map((end) => new Date(end).toISOString());
	const waitId = waitIdOf(context);
	const instance = instanceName(context.getInstanceId());
	const wait = { subjects, secret, resumeUrl: wakeUpUrl(context), instance, since: now };
	const sleeping: Sleeping = {
		...waiting,
		ends,
		followed: byN8n ? { ...wait, firstId: waitId, due: null } : null,
		waitId,
		secretDigest: digestOf(secret),
		source: context.getExecuteData().source?.main[0] ?? null,
	};
	rememberSleeping(context, sleeping);
	const terms = { secret, deadline: ends[0] };
	if (byN8n) await letN8nFollow(context, deadline);
	else await registerWait(context, awaiting, sleeping.waitId, subjects, terms);
	return await sleepUntilWoken(context, outputs, sleeping);
}

async function sleepUntilWoken(
	context: IExecuteFunctions,
	outputs: Outputs,
	sleeping: Sleeping,
): Promise<INodeExecutionData[][]> {
	const deadline = Date.parse(sleeping.ends[sleeping.ends.length - 1]);
	await context.putExecutionToWait(new Date(deadline + GRACE_MS));
	return ifNobodyWakes(context, outputs, sleeping);
}

/**
 * The run at the end of a part of the wait, where n8n itself follows: does what is due, and sleeps again under
 * another name. Null in any other run. Does nothing so late that the next part has ended, too.
 */
async function actAndSleepOn(
	context: IExecuteFunctions,
	{ interim, outputs }: Awaiting,
	now: number,
): Promise<INodeExecutionData[][] | null> {
	const open = openOf(context, outputs);
	const sleeping = open && rememberedSleeping(context);
	if (!open || !interim || !sleeping?.followed) return null;
	const [end, ...later] = sleeping.ends;
	const { firstId, due: dueBefore } = sleeping.followed;
	const due = dueBefore ?? Date.parse(end);
	const next = { ...sleeping, ends: later, waitId: randomUUID() };
	next.followed = { ...sleeping.followed, due: null };
	try {
		if (now < Date.parse(later[0])) await interim.act(context, { id: `${firstId} ${due}`, open });
	} catch (error) {
		context.logger.warn((error as Error).message);
		if (now < due + INTERIM_PATIENCE_MS) {
			next.ends = [new Date(now + AGAIN_MS).toISOString(), ...later];
			next.followed.due = due;
		}
	}
	rememberSleeping(context, next);
	expectAsleep(context);
	return await sleepUntilWoken(context, outputs, next);
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
 * source, since n8n takes an output's index for that of an input when it pairs the items, and their places
 * for those of the input items. Where an earlier item left by another output that is wrong: without a source
 * `$('Send Letter').item` fails there, rather than be another letter.
 */
function ifNobodyWakes(
	context: IExecuteFunctions,
	outputs: Outputs,
	sleeping: Sleeping,
): INodeExecutionData[][] {
	const items = toOutputs(outputs, routeWithoutNews(outputs, sleeping), context.getInputData());
	const data = context.getExecuteData();
	data.data.main = items;
	const isInPlace = ({ pairedItem }: INodeExecutionData, place: number) =>
		(pairedItem as IPairedItemData).item === place;
	if (data.source) {
		data.source.main = items.map((output) => (output.every(isInPlace) ? sleeping.source : null));
	}
	context.setMetadata({ forwardAllOutputs: true });
	return items;
}
