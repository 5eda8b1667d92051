import type { ITriggerFunctions } from 'n8n-workflow';

import { LONGEST_NAME, LONGEST_URL } from '../../../webhook-receiver/src/core/pull-contract';
import type { ShownWorkflow } from './consumerPlan';

type Context = Pick<ITriggerFunctions, 'getWorkflow' | 'getNode' | 'getInstanceBaseUrl'>;

/** How the receiver shows this node's workflow; names are cut to the length it accepts. */
export function shownWorkflow(context: Context): ShownWorkflow {
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
export function editorUrl(base: string, workflowId: string): string | null {
	if (!URL.canParse(base)) return null;
	const url = new URL(base);
	if (!/^https?:$/.test(url.protocol)) return null;
	const path = url.pathname.replace(/\/$/, '');
	const address = `${url.origin}${path}/workflow/${encodeURIComponent(workflowId)}`;
	return address.length <= LONGEST_URL ? address : null;
}
