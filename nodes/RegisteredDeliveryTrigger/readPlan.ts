import { randomUUID } from 'crypto';
import type { ITriggerFunctions, WorkflowActivateMode } from 'n8n-workflow';

import { LARGEST_BATCH, MOST_AT_ONCE } from '../../webhook-receiver/src/core/pull-contract';
import { consumerKey } from '../shared/consumer/consumerKey';
import { type ConsumerPlan, opening } from '../shared/consumer/consumerPlan';
import { consumerState } from '../shared/consumer/consumerState';
import { shownWorkflow } from '../shared/consumer/shownWorkflow';
import { fieldError, readOptions, readSelection } from '../shared/events/eventSettings';
import { DEFAULT_AT_ONCE, WHEN_PUBLISHED_AGAIN } from './fields';

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

	const options = readOptions(context);
	const selection = readSelection(context, options);
	const number = (name: string, displayName: string, most: number) => {
		const value = options.wholeNumber(name, displayName, 1);
		if (value === undefined || value <= most) return value;
		throw fieldError(context, displayName, `It is ${value}; the maximum is ${most}.`);
	};
	const batchSize = number('batchSize', 'Events per Execution', LARGEST_BATCH) ?? 1;
	const atOnce = number('atOnce', 'Executions at Once', MOST_AT_ONCE) ?? DEFAULT_AT_ONCE;
	const again = options.choice('whenPublishedAgain', 'When Published Again', WHEN_PUBLISHED_AGAIN);
	const isFromNow = startsFromNow(
		mode,
		again === 'startFromNow',
		consumerState(key).outage.isRefused,
	);
	return {
		key,
		shown: shownWorkflow(context),
		wants: { ...selection, batchSize },
		atOnce: isTest ? 1 : atOnce,
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
