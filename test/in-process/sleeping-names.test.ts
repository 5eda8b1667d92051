// What a sleeping node finds again by expressions, whatever the nodes are called: n8n's own engine reads
// them, and has its own ideas of what ends one.
import fc from 'fast-check';
import { WebhookContext } from 'n8n-core';
import type { INode, IRunExecutionData } from 'n8n-workflow';
import { createRunExecutionData, Workflow } from 'n8n-workflow';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { readInput, readSleeping, type Sleeping } from '../../nodes/shared/waiting/sleeping.ts';
import { additionalDataFor, workflowOf } from '../support/n8n-core.ts';

const type = new AwaitOutcome();
const { nodeTypes } = workflowOf(type, { parameters: {}, credentials: {} }, []);

function node(name: string, kind: string): INode {
	const rest = { typeVersion: 1, position: [0, 0] as [number, number], parameters: {} };
	return { id: name, name, type: kind, ...rest };
}

/** `webhook()` of a node that sleeps after another one. */
function asleep(name: string, before: string) {
	const source = { previousNode: before, previousNodeOutput: 0, previousNodeRun: 0 };
	const sleeping: Sleeping = {
		followed: null,
		waitId: 'wait-1',
		secretDigest: 'digest',
		ends: ['2026-01-31T09:30:00.000Z'],
		ids: [['000000000123']],
		faults: {},
		known: [],
		together: false,
		source,
	};
	const items = [{ json: { name: 'a' } }];
	const data = createRunExecutionData({
		executionData: { contextData: { [`node:${name}`]: { sleeping } } },
		resultData: {
			runData: {
				[before]: [
					{
						startTime: 0,
						executionTime: 0,
						executionIndex: 0,
						source: [],
						data: { main: [items] },
					},
				],
			},
		},
	} as never) as IRunExecutionData;
	const workflow = new Workflow({
		id: 'workflow1',
		active: false,
		nodeTypes,
		settings: { executionOrder: 'v1' },
		nodes: [node(before, 'test.start'), node(name, 'test.node')],
		connections: { [before]: { main: [[{ node: name, type: 'main', index: 0 }]] } },
	});
	const context = new WebhookContext(
		workflow,
		workflow.getNode(name) as INode,
		additionalDataFor({}),
		'manual',
		{ webhookDescription: type.description.webhooks?.[0] } as never,
		[],
		data,
	);
	return { context, sleeping, items };
}

const NAMES = [
	'Await',
	'a }} b',
	'{{ $now }}',
	'\\',
	'"',
	"'",
	'`${1}`',
	'// x',
	'é',
	'.constructor',
];
const name = fc.oneof(
	fc.constantFrom(...NAMES),
	fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
);

it('a node finds what it remembers, and its items, whatever the nodes are called', () => {
	fc.assert(
		fc.property(name, name, (own, before) => {
			fc.pre(own !== before && own !== '__proto__' && before !== '__proto__');
			const { context, sleeping, items } = asleep(own, before);
			expect(readSleeping(context)).toEqual(sleeping);
			expect(readInput(context, sleeping)).toEqual(items);
		}),
		{
			examples: NAMES.flatMap(
				(one): Array<[string, string]> => [
					[one, 'Start'],
					['Under', one],
				],
			),
		},
	);
});
