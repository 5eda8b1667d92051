import type { WorkflowActivateMode } from 'n8n-workflow';

import type { ConsumerPlan } from './consumer';

/**
 * Whoever publishes is told at once what is wrong. Where n8n opens a trigger by itself it must open: n8n
 * 2.41 tries five times within 15 s, and never again.
 */
export function opensWhen(mode: WorkflowActivateMode): ConsumerPlan['opens'] {
	if (mode === 'manual') return 'answered';
	return mode === 'activate' || mode === 'update' ? 'accepted' : 'always';
}
