import { randomUUID } from 'crypto';
import type { ITriggerFunctions, WorkflowActivateMode } from 'n8n-workflow';

import { consumerKey } from '../shared/consumer/consumerKey';
import { type ConsumerPlan, opening } from '../shared/consumer/consumerPlan';
import { consumerState } from '../shared/consumer/consumerState';
import { shownWorkflow } from '../shared/consumer/shownWorkflow';
import { readSelection, readTriggerOptions } from '../shared/events/eventSettings';
import { DEFAULT_AT_ONCE, pullOptions } from './triggerFields';

/**
 * What the node's fields ask of the receiver.
 *
 * @throws NodeOperationError when a field is invalid
 */
export function readPlan(context: ITriggerFunctions): ConsumerPlan {
	const mode = context.getActivationMode();
	const isTest = mode === 'manual';
	const { id: workflowId } = context.getWorkflow();
	const { id: nodeId } = context.getNode();
	const kind = isTest ? 'test' : 'production';
	const key = consumerKey(context.getInstanceId(), String(workflowId), nodeId, kind);

	const { batchSize, atOnce, whenPublishedAgain } = readTriggerOptions(context, pullOptions);
	const isFromNow = startsFromNow(
		mode,
		whenPublishedAgain === 'startFromNow',
		consumerState(key).outage.isRefused,
	);
	return {
		key,
		shown: shownWorkflow(context),
		wants: { ...readSelection(context), batchSize: batchSize ?? 1 },
		atOnce: isTest ? 1 : (atOnce ?? DEFAULT_AT_ONCE),
		startFromNow: isFromNow ? randomUUID() : null,
		opens: opening(mode),
	};
}

/**
 * Whether to skip earlier events. Of n8n's modes only `activate` can mean "published again": an
 * edit is an `update`, a start of n8n an `init`. But n8n 2.41 also says `activate` when it reopens
 * a failed trigger.
 */
export function startsFromNow(
	mode: WorkflowActivateMode,
	startsFromNow: boolean,
	isRecovering: boolean,
): boolean {
	if (mode === 'manual') return true;
	return mode === 'activate' && startsFromNow && !isRecovering;
}
