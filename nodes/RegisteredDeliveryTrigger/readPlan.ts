import { randomUUID } from 'crypto';
import type { ITriggerFunctions, WorkflowActivateMode } from 'n8n-workflow';

import { LONGEST_NAME, LONGEST_URL } from '../../webhook-receiver/src/core/pull-contract';
import { consumerKey } from '../shared/consumer/consumerKey';
import { type ConsumerPlan, opening, type ShownWorkflow } from '../shared/consumer/consumerPlan';
import { consumerState } from '../shared/consumer/consumerState';
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

	const { batchSize, maxConcurrentExecutions, whenPublishedAgain } = readTriggerOptions(
		context,
		pullOptions,
	);
	const isFromNow = startsFromNow(
		mode,
		whenPublishedAgain === 'startFromNow',
		consumerState(key).outage.isRefused,
	);
	return {
		key,
		shown: shownWorkflow(context),
		wants: { ...readSelection(context), batchSize: batchSize ?? 1 },
		atOnce: isTest ? 1 : (maxConcurrentExecutions ?? DEFAULT_AT_ONCE),
		startFromNow: isFromNow ? randomUUID() : null,
		opens: opening(mode),
	};
}

/**
 * Whether to skip earlier events. Of n8n's modes only `activate` can mean "published again": an
 * edit is an `update`, a start of n8n an `init`. But n8n 2.41 also says `activate` when it reopens
 * a failed trigger.
 */
function startsFromNow(
	mode: WorkflowActivateMode,
	isChosen: boolean,
	isRecovering: boolean,
): boolean {
	if (mode === 'manual') return true;
	return mode === 'activate' && isChosen && !isRecovering;
}

type Context = Pick<ITriggerFunctions, 'getWorkflow' | 'getNode' | 'getInstanceBaseUrl'>;

/** How the receiver shows this node's workflow; names are cut to the length it accepts. */
function shownWorkflow(context: Context): ShownWorkflow {
	const { id, name } = context.getWorkflow();
	return {
		name: (name ?? '').slice(0, LONGEST_NAME),
		node: context.getNode().name.slice(0, LONGEST_NAME),
		url: editorUrl(context.getInstanceBaseUrl(), String(id)),
	};
}

/**
 * Where n8n shows a workflow, or null if n8n's own address (`N8N_EDITOR_BASE_URL`) is not one a browser can
 * open. Leaves out user and password.
 */
function editorUrl(base: string, workflowId: string): string | null {
	if (!URL.canParse(base)) return null;
	const url = new URL(base);
	if (!/^https?:$/.test(url.protocol)) return null;
	const path = url.pathname.replace(/\/$/, '');
	const address = `${url.origin}${path}/workflow/${encodeURIComponent(workflowId)}`;
	return address.length <= LONGEST_URL ? address : null;
}
