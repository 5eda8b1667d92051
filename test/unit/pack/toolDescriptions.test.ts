// What n8n tells an AI agent of each node that is a tool, made by n8n's own code, and a user of triggers.
import { NodeHelpers, type INode, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { nodeDescriptions, operationsOf } from '../../support/descriptions.ts';

const tools = nodeDescriptions().filter(({ usableAsTool }) => usableAsTool === true);

function told(description: INodeTypeDescription, operation: string | null): string {
	const node = { id: '1', name: 'Tool', type: description.name, typeVersion: 1 } as INode;
	const parameters = NodeHelpers.getNodeParameters(
		description.properties,
		{ operation },
		true,
		false,
		node,
		description,
	);
	return NodeHelpers.getToolDescriptionForNode(
		{ ...node, parameters } as INode,
		{ description } as INodeType,
	);
}

it.each(tools.map((tool) => [tool.displayName, tool] as const))(
	'%s: an agent is told something else of each operation',
	(_title, tool) => {
		const operations = operationsOf(tool);
		const all = operations.map((operation) => told(tool, operation));
		expect(new Set(all).size).toBe(operations.length);
		expect(all).not.toContain(tool.description);
	},
);

it('an agent is told what is charged, and only of that', () => {
	const [sendLetter] = tools.filter(({ name }) => name === 'sendLetter');
	const charged = operationsOf(sendLetter).filter((one) =>
		told(sendLetter, one).includes('charged'),
	);
	expect(charged.sort()).toEqual(['resend', 'resendTo', 'send']);
});

it('a trigger says in its own words what it waits for and what publishing starts', () => {
	const triggers = nodeDescriptions().filter(({ group }) => group.includes('trigger'));
	expect(triggers).toHaveLength(2);
	for (const { eventTriggerDescription, activationMessage } of triggers) {
		expect(eventTriggerDescription).toMatch(/^Waiting for the .*event of a letter/);
		expect(activationMessage).toMatch(/ now .* events/);
	}
});
