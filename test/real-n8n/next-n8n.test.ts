// n8n's own rules of what its next version does otherwise find nothing in the examples. That the rules look, and
// know the outputs of the pack's nodes, is seen by workflows they have to find.
import type { WorkflowFile } from '../n8n/api.ts';
import { exampleFiles } from '../n8n/example-workflows.ts';
import { node, PACK } from './workflows.ts';
import { stack, useStack } from './use-stack.ts';

useStack();

/** What each version's rules have to find. */
const FOUND: Record<string, Record<string, WorkflowFile['nodes'][number]>> = {
	v2: {
		'start-node-removed-v2': node('Begins', 'n8n-nodes-base.start', 1, {}),
	},
	v3: {
		'execute-workflow-each-mode-v3': node('Calls', 'n8n-nodes-base.executeWorkflow', 1.2, {
			mode: 'each',
		}),
		'always-output-data-multi-output-v3': node(
			'Waits',
			`${PACK}.awaitOutcome`,
			1,
			{},
			{ alwaysOutputData: true },
		),
	},
};

/** Says of every workflow with files on disk that n8n 2 has a folder for them: the examples use that one. */
const MEANT = 'file-access-restriction-v2: ';

it.each(Object.keys(FOUND))('no example has what %s does otherwise', async (version) => {
	const found = Object.entries(FOUND[version]);
	for (const [rule, one] of found) {
		await stack.api.saveWorkflow({ name: `Found by ${rule}`, nodes: [one], connections: {} });
	}
	for (const file of await exampleFiles()) await stack.importExample(file);
	const reported = await stack.api.notRunBy(version);
	const expected = found.map(([rule]) => `${rule}: Found by ${rule}`).sort();
	expect(reported.filter((one) => !one.startsWith(MEANT))).toEqual(expected);
});
