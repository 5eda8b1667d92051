// What a sleeping node finds again by expressions, whatever the nodes are called: n8n's own engine reads
// them, and has its own ideas of what ends one.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { parse, stringify } from 'flatted';
import { WebhookContext, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type INode,
	type IRun,
	type IRunExecutionData,
	type Workflow,
} from 'n8n-workflow';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { serve, type HttpServer } from '../support/http-server.ts';
import { additionalDataFor, workflowOf } from '../support/n8n-core.ts';
import { byReceiver } from '../support/sandbox.ts';

/** What the node has told the receiver last. */
let registered: { waitId: string; secret: string };
let receiver: HttpServer;
beforeAll(async () => {
	receiver = await serve((request, response) => {
		void (async () => {
			const answer = (body: object) =>
				response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
			if (request.url === '/clock') return answer({ now: new Date().toISOString() });
			const { secret } = JSON.parse((await request.toArray()).join('')) as { secret: string };
			registered = { waitId: request.url?.split('/').at(-1) ?? '', secret };
			return answer({ waitId: registered.waitId, pulling: 1, watching: true });
		})();
	});
});
afterAll(() => receiver.close());

const type = new AwaitOutcome();
const messageId = '000000000123';

/** Runs a workflow of two nodes with these names until the second one sleeps, and wakes that. */
async function wokenItems(own: string, before: string): Promise<unknown> {
	const credentials = { registeredDeliveryApi: byReceiver(receiver.url, 'token') };
	const workflow = workflowOf(type, { parameters: {}, credentials }, [
		{ json: { messageId, name: 'a' } },
	]);
	workflow.renameNode('Under Test', own);
	workflow.renameNode('Start', before);
	const nodeOf = (name: string) => workflow.getNode(name) as INode;
	const additional = {
		...additionalDataFor(credentials),
		executionId: '1',
		webhookWaitingBaseUrl: 'http://127.0.0.1:9/webhook-waiting',
	};
	const data = { ...createRunExecutionData({}), resumeToken: 'token' } as IRunExecutionData;
	const execution = new WorkflowExecute(additional, 'trigger', data);
	const run = await execution.run({ workflow, startNode: nodeOf(before) });
	if (!run.waitTill) throw run.data.resultData.error ?? new Error('It does not sleep.');
	return await wake(workflow, nodeOf(own), additional, run);
}

async function wake(
	workflow: Workflow,
	node: INode,
	additional: ReturnType<typeof additionalDataFor>,
	{ data }: IRun,
): Promise<unknown> {
	const outcome = { outcome: 'accepted', status: null, occurredAt: null, event: null };
	const outcomes = [{ id: messageId, ...outcome, eventId: null }];
	const request = new IncomingMessage(new Socket());
	const httpRequest = Object.assign(request, {
		body: { ...registered, reason: 'complete', outcomes },
	});
	const httpResponse = new ServerResponse(request);
	const context = new WebhookContext(
		workflow,
		node,
		{ ...additional, httpRequest, httpResponse } as never,
		'trigger',
		{ webhookDescription: type.description.webhooks?.[0] } as never,
		[],
		parse(stringify(data)) as IRunExecutionData,
	);
	const { workflowData } = await type.webhook.call(context);
	return workflowData?.[0];
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
/** n8n names no node so. */
const RESTRICTED = ['hasOwnProperty', 'isPrototypeOf', 'toString', 'valueOf'].concat([
	'propertyIsEnumerable',
	'toLocaleString',
	'constructor',
	'prototype',
	'__proto__',
]);
const name = fc.oneof(
	fc.constantFrom(...NAMES),
	fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
);

it('a node finds what it remembers, and its items, whatever the nodes are called', async () => {
	await fc.assert(
		fc.asyncProperty(name, name, async (own, before) => {
			fc.pre(own !== before && !RESTRICTED.includes(own) && !RESTRICTED.includes(before));
			expect(await wokenItems(own, before)).toMatchObject([
				{ json: { name: 'a', outcome: { messageId, outcome: 'accepted' } } },
			]);
		}),
		{
			numRuns: 60,
			examples: NAMES.flatMap(
				(one): Array<[string, string]> => [
					[one, 'First'],
					['Second', one],
				],
			),
		},
	);
});
