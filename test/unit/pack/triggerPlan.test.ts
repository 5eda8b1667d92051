import type { WorkflowActivateMode } from 'n8n-workflow';

import { isStartedAnew } from '../../../nodes/RegisteredDeliveryTrigger/readPlan.ts';

const modes: WorkflowActivateMode[] = ['init', 'create', 'update', 'activate', 'leadershipChange'];

it('leaves out what came before only where a workflow is published again and is to start from now', () => {
	const anew = modes.filter((mode) => isStartedAnew(mode, true, false));
	expect(anew).toEqual(['activate']);
	expect(modes.some((mode) => isStartedAnew(mode, false, false))).toBe(false);
	expect(modes.some((mode) => isStartedAnew(mode, true, true))).toBe(false);
});

it('leaves it out for each test', () => {
	expect(isStartedAnew('manual', false, true)).toBe(true);
});
