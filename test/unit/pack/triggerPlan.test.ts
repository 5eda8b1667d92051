import type { WorkflowActivateMode } from 'n8n-workflow';

import { startsFromNow } from '../../../nodes/RegisteredDeliveryTrigger/readPlan.ts';

const modes: WorkflowActivateMode[] = ['init', 'create', 'update', 'activate', 'leadershipChange'];

it('leaves out what came before only where a workflow is published again and is to start from now', () => {
	const fromNow = modes.filter((mode) => startsFromNow(mode, true, false));
	expect(fromNow).toEqual(['activate']);
	expect(modes.some((mode) => startsFromNow(mode, false, false))).toBe(false);
	expect(modes.some((mode) => startsFromNow(mode, true, true))).toBe(false);
});

it('leaves it out for each test', () => {
	expect(startsFromNow('manual', false, true)).toBe(true);
});
