import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readOptions } from '../fields/field';
import {
	deadlineOf,
	secretDigestOf,
	newSecret,
	storeWait,
	type StoredWait,
} from '../polling/storedWait';
import { errorJson, failureOf } from '../items/itemError';
import { resultOf } from '../items/perItem';
import { runMemory } from '../items/runMemory';
import type { AwaitOperation } from './awaitOperation';
import { GRACE_MS, readDeadline } from './deadline';
import { lastOutput, routeWithoutNews, toOutputs, type Outputs } from './outputs';
import { registryOf } from './registry';
import { readRun } from './rerun';

/** For how long a reminder that failed is tried again. */
const REMINDER_PATIENCE_MS = 3_600_000;

/** How soon at the earliest; each try waits as long again as the reminder has been due. */
const REMIND_AGAIN_MS = 1_000;

export async function runAwaiting(
	context: IExecuteFunctions,
	operation: AwaitOperation,
): Promise<INodeExecutionData[][]> {
	const run = readRun(context, operation.outputs);
	if (run.why === 'start') return nothingFrom(context, operation);
	if (run.why === 'outcomes') return run.outputs;
	if (run.why === 'reminder') return await remindAndSleepOn(context, operation, run);
	const result = await resultOf(context, async () => await goToSleep(context, operation));
	if ('value' in result) return result.value;
	if (!context.continueOnFail()) throw result.error;
	// n8n itself would pass the input to the first output, and each would look accepted.
	const { outputs } = operation;
	const input = context.getInputData();
	const added = errorJson(failureOf(result.error));
	return toOutputs(
		outputs,
		input.map((_, item) => ({ item, output: lastOutput(outputs), added })),
		input,
	);
}

/**
 * Everything that can fail comes before the execution sleeps: it never does without something to wake it.
 */
async function goToSleep(
	context: IExecuteFunctions,
	operation: AwaitOperation,
): Promise<INodeExecutionData[][]> {
	const { outputs, routeItems: routing } = operation;
	const registry = await registryOf(context);
	const { routeItems } = readOptions(context, 0, { routeItems: routing });
	const deadlineFrom = readDeadline(context);
	const asked = async () => {
		const now = await registry.begin(context);
		return { ahead: now - Date.now(), now, deadline: deadlineFrom(now) };
	};
	let asking: ReturnType<typeof asked> | undefined;
	const times = async () => await (asking ??= asked());
	const request = await operation.prepare(context, times);
	const { subjects, reminders = [], ...items } = request;
	const waiting = { ...items, together: routeItems === 'all' };
	const leave = (reason: 'complete' | 'deadline') =>
		toOutputs(outputs, routeWithoutNews(outputs, waiting, reason), context.getInputData());
	if (subjects === null) return leave('complete');
	const { now, ahead, deadline } = await times();
	if (deadline <= now) return leave('deadline');
	const waitId = waitIdOf(context);
	const secret = newSecret();
	const wait = store(context, secret, {
		...waiting,
		waitId,
		subjects,
		ends: [...reminders, deadline].map((end) => new Date(end).toISOString()),
		n8nWakesAt: deadline - ahead + GRACE_MS,
		reminders: { series: waitId, due: null },
		source: context.getExecuteData().source?.main[0] ?? null,
		byN8n: registry.toStore(context, secret, now),
	});
	await registry.register(context, wait, secret, operation.unwatched);
	return await sleepUntilWoken(context, outputs, wait);
}

/** Does nothing so late that the next end has come, too. */
async function remindAndSleepOn(
	context: IExecuteFunctions,
	{ remind, outputs }: AwaitOperation,
	{ open, wait: before }: { open: string[]; wait: StoredWait },
): Promise<INodeExecutionData[][]> {
	const registry = await registryOf(context);
	const now = await registry.now(context, before.n8nWakesAt - GRACE_MS);
	const n8nWakesAt = deadlineOf(before) - (now - Date.now()) + GRACE_MS;
	const [end, ...later] = before.ends;
	const { series, due } = before.reminders;
	const dueSince = due ?? Date.parse(end);
	let next = { ends: later, reminders: { series, due: null as number | null } };
	try {
		if (now < Date.parse(later[0])) await remind?.(context, { id: `${series} ${dueSince}`, open });
	} catch (error) {
		context.logger.warn((error as Error).message);
		const again = now + Math.max(REMIND_AGAIN_MS, now - dueSince);
		if (now < dueSince + REMINDER_PATIENCE_MS && again < Date.parse(later[0])) {
			const ends = [new Date(again).toISOString(), ...later];
			next = { ends, reminders: { series, due: dueSince } };
		}
	}
	const secret = newSecret();
	const byN8n = registry.toStore(context, secret, before.byN8n?.since ?? now);
	const waitId = randomUUID();
	const wait = store(context, secret, { ...before, ...next, n8nWakesAt, waitId, byN8n });
	await registry.registerAgain(context, wait, secret);
	return await sleepUntilWoken(context, outputs, wait);
}

/** n8n has only the digest of the secret, unless n8n itself wakes the execution. */
function store(
	context: IExecuteFunctions,
	secret: string,
	rest: Omit<StoredWait, 'secretDigest'>,
): StoredWait {
	const wait = { ...rest, secretDigest: secretDigestOf(secret) };
	storeWait(context, wait);
	return wait;
}

async function sleepUntilWoken(
	context: IExecuteFunctions,
	outputs: Outputs,
	wait: StoredWait,
): Promise<INodeExecutionData[][]> {
	await context.putExecutionToWait(new Date(wait.n8nWakesAt));
	return ifNobodyWakes(context, outputs, wait);
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
	wait: StoredWait,
): INodeExecutionData[][] {
	const items = toOutputs(outputs, routeWithoutNews(outputs, wait), context.getInputData());
	const data = context.getExecuteData();
	data.data.main = items;
	const isInPlace = ({ pairedItem }: INodeExecutionData, place: number) =>
		(pairedItem as IPairedItemData).item === place;
	if (data.source) {
		data.source.main = items.map((output) => (output.every(isInPlace) ? wait.source : null));
	}
	context.setMetadata({ forwardAllOutputs: true });
	return items;
}

const START_ADVICE =
	'It waits for what comes from earlier nodes, so it did nothing. On the command line, n8n starts at the first node in the workflow file that can start a workflow: cut this node in the editor and paste it back, so that it comes last in the file.';

/**
 * @throws NodeOperationError, unless the workflow continues on errors. Then it outputs nothing: n8n
 * itself would send the empty item to the first output.
 */
function nothingFrom(
	context: IExecuteFunctions,
	{ name, outputs }: AwaitOperation,
): INodeExecutionData[][] {
	const message = `${name} cannot start a workflow`;
	if (!context.continueOnFail()) {
		throw new NodeOperationError(context.getNode(), message, { description: START_ADVICE });
	}
	context.addExecutionHints({
		type: 'warning',
		location: 'outputPane',
		message: `${message}. ${START_ADVICE}`,
	});
	return outputs.names.map(() => []);
}
