// Executions that sleep and go on in n8n-core's own engine: WorkflowExecute, WebhookContext, TriggerContext. What
// takes a request to a resume URL, keeps executions and has the public API is part of n8n's server, which
// does not start without its database and all its nodes; the Express server here stands for it, as n8n 2.41
// does it (waiting-webhooks.js, webhook-helpers.js), for answers and moments that a real one can't be made to have.
// The same in a real one: test/real-n8n/{await-outcome,await-consent,follow-by-n8n,sleepers,at-the-limit}.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { parse, stringify } from 'flatted';
import { TriggerContext, WebhookContext, WorkflowExecute } from 'n8n-core';
import type {
	INode,
	INodeExecutionData,
	INodeType,
	IRun,
	IRunExecutionData,
	ITriggerResponse,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData, WorkflowDataProxy } from 'n8n-workflow';

import { until } from '../contract/receiver/harness.ts';
import {
	additionalDataFor,
	asRetried,
	workflowOf,
	type Credentials,
	type RunOptions,
} from '../support/n8n-core.ts';

export interface StartOptions extends Partial<RunOptions> {
	credentials: Credentials;
	mode?: WorkflowExecuteMode;
	/** Instead of the server's own, as a proxy in front of n8n has. */
	publicUrl?: string;
	/** Whether n8n begins with the node itself, as on its command line. */
	beginsHere?: boolean;
}

/** An execution: asleep, or what came of it. */
export interface Execution {
	id: string;
	workflow: Workflow;
	mode: WorkflowExecuteMode;
	credentials: Credentials;
	/** As n8n stores it. */
	stored: string;
	run: IRun;
	/** How often it was resumed. */
	resumed: number;
	/** Whether it runs just now, after it was. */
	isRunning: boolean;
	/** The node's. */
	outputNames: string[];
}

/** A node that puts its execution to sleep. */
export type SleepingNode = INodeType & Required<Pick<INodeType, 'webhook' | 'trigger'>>;

type Answers = (request: Request, response: Response) => void;

export class SleepingN8n {
	readonly executions = new Map<string, Execution>();
	/** What n8n answers instead of itself, while it starts for example. */
	instead: Answers | null = null;
	/** Paths of all requests, with their method. */
	readonly requests: string[] = [];
	/** The bodies of those. */
	readonly bodies: unknown[] = [];
	/** Resolves when there is capacity: until then n8n holds what a node has accepted. */
	capacity: Promise<void> = Promise.resolve();
	/** Of the public API. */
	apiKey = 'api-key-of-the-test';
	/** What the public API answers instead. */
	apiInstead: Answers | null = null;
	private readonly running = new Map<string, { id: string; status: string; workflowId: string }>();
	/** Of the main process that takes requests: another one's has a memory of its own. */
	node: SleepingNode;
	private readonly server: Server;
	private last = 0;

	private constructor(node: SleepingNode) {
		this.node = node;
		const app = express();
		app.use(express.json({ limit: '16mb' }));
		app.use((request, response, next) => {
			// Where n8n has nothing: what asks there looks how it gets there, before it shows a secret.
			if (request.path !== '/webhook-waiting') {
				this.requests.push(`${request.method} ${request.path}`);
				this.bodies.push(request.body);
			}
			if (this.instead === null) next();
			else this.instead(request, response);
		});
		app.use('/api/v1', (request, response, next) => this.guardApi(request, response, next));
		app.get('/api/v1/executions', ({ query }, response) => {
			response.json(this.listSleeping(query as Record<string, string>));
		});
		app.get('/api/v1/executions/:id', ({ params: { id } }, response) => {
			const found = this.running.get(id) ?? this.shown(id);
			if (found) response.json(found);
			else response.status(404).json({ message: 'Not Found' });
		});
		app.post('/webhook-waiting/:id/registered-delivery', async (request, response) => {
			await this.resume(request, response);
		});
		this.server = app.listen(0, '127.0.0.1');
	}

	static async start(node: SleepingNode): Promise<SleepingN8n> {
		const n8n = new SleepingN8n(node);
		await once(n8n.server, 'listening');
		return n8n;
	}

	get port(): number {
		return (this.server.address() as AddressInfo).port;
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** Runs a workflow up to where it sleeps or ends. */
	async run(options: StartOptions): Promise<Execution> {
		const { credentials, mode = 'manual', items = [], publicUrl = this.url, retryOf } = options;
		const id = String(++this.last);
		const all = { parameters: {}, ...options } as RunOptions;
		const workflow = workflowOf(this.node, all, items);
		const additional = this.additional(id, credentials, publicUrl);
		const resumeToken = randomBytes(16).toString('hex');
		const data = retryOf ? asRetried(retryOf) : createRunExecutionData({});
		const execution = new WorkflowExecute(additional, mode, {
			...data,
			resumeToken,
		} as IRunExecutionData);
		const startNode = workflow.getNode(options.beginsHere ? 'Under Test' : 'Start') ?? undefined;
		this.running.set(id, { id, status: 'running', workflowId: workflow.id });
		const run = await (retryOf
			? execution.processRunExecutionData(workflow)
			: execution.run({ workflow, startNode }));
		this.running.delete(id);
		run.data.resumeToken = resumeToken;
		const stored = stringify(run.data);
		const outputNames = this.node.description.outputNames ?? [];
		const since = { resumed: 0, isRunning: false, outputNames };
		const known = { id, workflow, mode, credentials, stored, run, ...since };
		this.executions.set(id, known);
		return known;
	}

	/** What n8n does at its own timeout, if nobody has woken the execution. */
	async timeOut(execution: Execution): Promise<void> {
		const { workflow, mode, credentials, id } = execution;
		const additional = this.additional(id, credentials, this.url);
		const data = parse(execution.stored) as IRunExecutionData;
		execution.run = await new WorkflowExecute(additional, mode, data).processRunExecutionData(
			workflow,
		);
	}

	/** Publishes a workflow with the node: what n8n does then, and at each start. */
	async publish(
		credentials: Credentials,
		parameters: RunOptions['parameters'] = {},
	): Promise<Published> {
		const workflow = workflowOf(this.node, { parameters, credentials }, []);
		const node = workflow.getNode('Under Test') as INode;
		const failures: Error[] = [];
		const context = new TriggerContext(
			workflow,
			node,
			this.additional('', credentials, this.url),
			'trigger',
			'activate',
			() => undefined,
			() => undefined,
			(error) => failures.push(error),
		);
		const { closeFunction } = (await this.node.trigger.call(context)) as ITriggerResponse;
		return { unpublish: async () => await closeFunction?.(), failures };
	}

	/** Posts to the resume URL, as whoever pulled a wake-up does. */
	async post({ id, run }: Execution, body: object): Promise<{ status: number; body: unknown }> {
		const path = `/webhook-waiting/${id}/registered-delivery`;
		const answer = await fetch(`${this.url}${path}?signature=${run.data.resumeToken}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		return { status: answer.status, body: await answer.json() };
	}

	close(): void {
		this.server.closeAllConnections();
		this.server.close();
	}

	private guardApi(request: Request, response: Response, next: () => void): void {
		if (this.apiInstead !== null) this.apiInstead(request, response);
		else if (request.get('X-N8N-API-KEY') === this.apiKey) next();
		else response.status(401).json({ message: 'unauthorized' });
	}

	private listSleeping({ status, workflowId, limit, cursor }: Record<string, string>) {
		const all = [...this.executions.values()].filter(
			(one) => isAsleep(one) && one.workflow.id === (workflowId ?? one.workflow.id),
		);
		const first = Number(cursor ?? 0);
		const next = first + Number(limit ?? 100);
		const data = all
			.slice(first, next)
			.map(({ id, run }) => ({ id, status, waitTill: run.waitTill }));
		return { data, nextCursor: next < all.length ? String(next) : null };
	}

	/** As the public API shows it, with its data. */
	private shown(id: string): object | null {
		const execution = this.executions.get(id);
		if (execution === undefined) return null;
		const status = isAsleep(execution) ? 'waiting' : 'success';
		const workflowId = execution.workflow.id;
		return { id, status, workflowId, data: parse(execution.stored) as object };
	}

	private async resume(request: Request, response: Response): Promise<void> {
		const execution = this.executions.get(String(request.params.id));
		if (execution === undefined) {
			const message = `The execution "${request.params.id}" does not exist.`;
			response.status(404).json({ code: 404, message });
			return;
		}
		const { workflow, mode, credentials, id } = execution;
		const data = parse(execution.stored) as IRunExecutionData;
		if (request.query.signature !== data.resumeToken) {
			response.status(401).json({ error: 'Invalid token' });
			return;
		}
		const [entry] = data.executionData?.nodeExecutionStack ?? [];
		if (entry === undefined) {
			response
				.status(409)
				.json({ code: 409, message: `The execution "${id} has finished already.` });
			return;
		}
		entry.node.disabled = true;
		data.waitTill = undefined;
		const additional = this.additional(id, credentials, this.url);
		const answered = await this.node.webhook.call(
			new WebhookContext(
				workflow,
				workflow.getNode('Under Test') as INode,
				{ ...additional, httpRequest: request, httpResponse: response },
				mode,
				{ webhookDescription: this.node.description.webhooks?.[0] } as never,
				[],
				data,
			),
		);
		if (answered.workflowData === undefined) {
			if (!answered.noWebhookResponse) response.json(answered.webhookResponse);
			return;
		}
		await this.capacity;
		// It looks at nothing else: what sleeps in a later node by then goes back to this one.
		if (!isAsleep(execution)) {
			response.status(409).json({ code: 0, message: `The execution ${id} is resumed already.` });
			return;
		}
		response.json(answered.webhookResponse);
		entry.data.main = answered.workflowData;
		entry.metadata = { ...entry.metadata, forwardAllOutputs: true };
		execution.resumed++;
		execution.isRunning = true;
		data.resultData.runData['Under Test'].pop();
		execution.run = await new WorkflowExecute(additional, mode, data).processRunExecutionData(
			workflow,
		);
		execution.stored = stringify(execution.run.data);
		execution.isRunning = false;
	}

	private additional(
		executionId: string,
		credentials: Credentials,
		publicUrl: string,
	): IWorkflowExecuteAdditionalData {
		const webhookWaitingBaseUrl = `${publicUrl}/webhook-waiting`;
		return { ...additionalDataFor(credentials), executionId, webhookWaitingBaseUrl };
	}
}

export interface Published {
	unpublish(): Promise<void>;
	/** What went to the error workflow. */
	failures: Error[];
}

/** By which output the items left, in the order of the outputs. */
export function left({ run, outputNames }: Execution): Array<[string, INodeExecutionData]> {
	const main = run.data.resultData.runData['Under Test']?.at(-1)?.data?.main ?? [];
	return main.flatMap((items, output) =>
		(items ?? []).map((item): [string, INodeExecutionData] => [outputNames[output], item]),
	);
}

/** Of what left, in the order of the outputs: the name of its `$('Start').item`, or why n8n knows none. */
export function originsOf(execution: Execution): unknown[] {
	const { run, outputNames } = execution;
	const main = run.data.resultData.runData['Under Test'].at(-1)?.data?.main ?? [];
	return outputNames.flatMap((_, output) => {
		// As a node behind it is given them.
		const given = (main[output] ?? []).map((one, item) => ({ ...one, pairedItem: { item } }));
		return given.map((_one, itemIndex) => originOf(execution, given, output, itemIndex));
	});
}

function originOf(
	{ workflow, run, mode }: Execution,
	given: INodeExecutionData[],
	output: number,
	itemIndex: number,
): unknown {
	const node = workflow.getNode('Under Test') as INode;
	const source = { previousNode: node.name, previousNodeOutput: output };
	const executeData = { data: { main: [given] }, node, source: { main: [source] } };
	const proxy = new WorkflowDataProxy(
		workflow,
		run.data,
		0,
		itemIndex,
		node.name,
		given,
		{},
		mode,
		{},
		executeData,
	).getDataProxy();
	try {
		return (proxy.$('Start') as { item: INodeExecutionData }).item.json.name;
	} catch (error) {
		return error;
	}
}

export const isAsleep = ({ run, isRunning }: Execution): boolean =>
	!isRunning && Boolean(run.waitTill);

export const errorOf = ({ run: { data } }: Execution) => data.resultData.error;

/** @throws the execution's error, if it does not sleep */
export async function untilAsleep(running: Promise<Execution>): Promise<Execution> {
	const execution = await running;
	if (!isAsleep(execution)) throw errorOf(execution) ?? new Error('It ended.');
	return execution;
}

/** What the node keeps while it sleeps. */
export const waitOf = ({ run: { data } }: Execution) =>
	data.executionData?.contextData['node:Under Test']?.wait as
		| {
				waitId: string;
				secretDigest: string;
				subjects?: unknown;
				byN8n: { instance: string } | null;
		  }
		| undefined;

export const goneOn = async (execution: Execution) =>
	await until(
		() => execution.resumed > 0 && !execution.isRunning && !isAsleep(execution),
		'the execution goes on',
	);
