// An agent's tool in n8n's own engine. An agent up to version 2 calls it, and each try of a call is a run of its
// own, so what the agent asked for tells one letter from another. From version 3 on, the engine runs it for the
// agent like any node. Real agents of both kinds: test/real-n8n/agent-calls.test.ts.
import type { IDataObject, IExecuteFunctions, INode, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes, Workflow } from 'n8n-workflow';
import { WorkflowExecute } from 'n8n-core';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { accepted, arrived } from '../support/letters.ts';
import { additionalDataFor } from '../support/n8n-core.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { useStub } from './services.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const stub = useStub();

const ada = { email: 'ada@x.example' };
const bob = { email: 'bob@x.example' };
const LOST = { cutAt: 0 };
const UNKNOWN = expect.stringMatching(/^Outcome unknown: /) as string;

const idOf = (said: string) => /"messageId":"(\d{12})"/.exec(said)?.[1];

it('the tries of one call send one letter, and a second call that asks for the same sends none', async () => {
	stub.answer = () => LOST;
	expect(await callTool(ada, ada)).toEqual([UNKNOWN, UNKNOWN]);
	expect(arrived(stub)).toHaveLength(1);
});

it('a try that nothing left in is repeated, and what has left is not', async () => {
	stub.answer = (request) =>
		arrived(stub).length === 1
			? { status: 422, body: { message: 'No', code: 'not-allowed' } }
			: accepted(request);
	const [said] = await callTool(ada);
	expect(said).toMatch(/"messageId":"\d{12}"/);
	expect(arrived(stub)).toHaveLength(2);
});

it('a call with other words is another letter, one with the same is told what the first sent', async () => {
	const [first, second, third] = await callTool(ada, bob, ada);
	expect(new Set([first, second].map(idOf)).size).toBe(2);
	expect(idOf(third)).toBe(idOf(first));
	expect(arrived(stub)).toHaveLength(2);
});

/** Has an agent of version 2 call the tool, with one letter after the other, and gives what it was told. */
async function callTool(...calls: IDataObject[]): Promise<string[]> {
	const said: string[] = [];
	const agent = nodeType('agent', [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool], {
		async execute(this: IExecuteFunctions) {
			const [tool] = (await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as Tool[];
			for (const call of calls) said.push(await saidTo(tool, call));
			return [[]];
		},
	});
	await run(agent);
	return said;
}

async function run(agent: INodeType): Promise<void> {
	const workflow = workflowWith(agent);
	const credentials = { registeredDeliveryApi: stub.credential };
	const { data } = await new WorkflowExecute(additionalDataFor(credentials), 'manual').run({
		workflow,
		startNode: workflow.getNode('Start') ?? undefined,
	});
	if (data.resultData.error) throw data.resultData.error;
}

interface Tool {
	invoke(call: IDataObject): Promise<unknown>;
}

async function saidTo(tool: Tool | { response: Tool }, call: IDataObject): Promise<string> {
	try {
		// n8n hands out the tool as it is, or in an object beside other things.
		return String(await ('response' in tool ? tool.response : tool).invoke(call));
	} catch (error) {
		return (error as Error).message;
	}
}

function workflowWith(agent: INodeType): Workflow {
	const tool = new SendLetter();
	// What n8n makes of a node that can be a tool.
	tool.description = { ...tool.description, outputs: [NodeConnectionTypes.AiTool] };
	const types: Record<string, INodeType> = {
		start: nodeType('start', [], { execute: async () => [[{ json: {} }]] }),
		agent,
		tool,
	};
	const parameters = {
		operation: 'send',
		type: 'LS',
		body: '<p>Dear reader</p>',
		recipientsFrom: 'json',
		recipientsJson:
			'={{ { email: $fromAI("email", "Whom to write to", "string"), firstname: "A", lastname: "B" } }}',
	};
	const credentials = { registeredDeliveryApi: { id: '1', name: 'registeredDeliveryApi' } };
	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	return new Workflow({
		id: 'workflow1',
		active: false,
		settings: { executionOrder: 'v1' },
		nodes: [
			node('Start', 'start', {}),
			node('Agent', 'agent', {}),
			node('Letter', 'tool', { parameters, credentials, ...retrying }),
		],
		connections: {
			Start: { main: [[{ node: 'Agent', type: NodeConnectionTypes.Main, index: 0 }]] },
			Letter: { ai_tool: [[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }]] },
		},
		nodeTypes: {
			getByName: (name) => types[name],
			getByNameAndVersion: (name) => types[name],
			getKnownTypes: () => ({}),
		},
	});
}

function node(name: string, type: string, more: Partial<INode>): INode {
	const position: [number, number] = [0, 0];
	return { id: name, name, type, typeVersion: 1, position, parameters: {}, ...more };
}

function nodeType(
	name: string,
	inputs: INodeType['description']['inputs'],
	{ execute }: Pick<INodeType, 'execute'>,
): INodeType {
	const described = { displayName: name, name, description: '', defaults: { name }, version: 1 };
	const outputs = [NodeConnectionTypes.Main];
	return {
		description: { ...described, group: ['transform'], inputs, outputs, properties: [] },
		execute,
	};
}
