import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { trackedMailGoalSchema } from '../../webhook-receiver/src/wait/wait-contract';
import { Options } from '../shared/options';
import { errorJson, resultOf } from '../shared/perItem';
import { runMemory } from '../shared/runMemory';
import { readAwaited } from './awaited';
import { ifNobodyWakes } from './backstop';
import { readDeadline } from './readDeadline';
import { registerWait } from './registerWait';
import { rememberSleeping, type Sleeping } from './sleeping';
import { leaving, NO_OUTCOME, toOutputs } from './outputs';

/** How long after the deadline n8n wakes the execution itself, should the receiver not have done so. */
const GRACE_MS = 5 * 60_000;

/**
 * Puts the execution to sleep, or says why not. With *On Error: Continue* every item then leaves by "No
 * outcome yet" with the error: n8n itself would pass the input to the first output, and each letter
 * would be taken for accepted.
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
		input.map((_, item) => ({ item, output: NO_OUTCOME, added })),
		input,
	);
}

/**
 * Registers what is waited for with the receiver, then puts the execution to sleep (design § 10). What
 * can go wrong does so before: an execution never sleeps without somebody to wake it.
 */
async function register(context: IExecuteFunctions, now: number): Promise<INodeExecutionData[][]> {
	assertCanSleep(context);
	const { messageIds, messages, faults } = await readAwaited(context);
	const options = Options.of(context, 0);
	const itemsLeave = options.choice('itemsLeave', 'Items Leave', ['each', 'together']);
	const goals = trackedMailGoalSchema.options;
	const trackedMailGoal = options.choice('trackedMailGoal', 'Tracked Mail Is Done When', goals);
	const deadline = readDeadline(context, now);
	const sleeping: Sleeping = {
		waitId: waitIdOf(context),
		messageIds,
		faults,
		together: itemsLeave === 'together',
		source: context.getExecuteData().source?.main[0] ?? null,
	};
	if (messages.length === 0) {
		const all = leaving(sleeping, { outcomes: [], reason: 'complete' }) ?? [];
		return toOutputs(all, context.getInputData());
	}

	rememberSleeping(context, sleeping);
	await registerWait(context, sleeping.waitId, {
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

function assertCanSleep(context: IExecuteFunctions): void {
	if (context.isToolExecution()) {
		throw new NodeOperationError(context.getNode(), 'Await Outcome cannot be used as a tool', {
			description:
				'It puts the execution to sleep for days, and an AI agent does not wait that long. Use Get Status as the tool, and Await Outcome as a node of its own after the agent.',
		});
	}
}
