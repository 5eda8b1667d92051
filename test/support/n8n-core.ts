// Runs nodes as n8n does, in this process: n8n-core's own engine, request helpers and binary store.
import 'reflect-metadata';
import { createRequire } from 'node:module';
import {
	BinaryDataService,
	CredentialTestContext,
	ExecutionLifecycleHooks,
	HookContext,
	WebhookContext,
	WorkflowExecute,
} from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	ICredentialsDecrypted,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	INodeCredentialTestResult,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRun,
	IWorkflowExecuteAdditionalData,
	NodeExecutionHint,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeHelpers, Workflow } from 'n8n-workflow';
import type { Request, Response } from 'express';
import { parse, stringify } from 'flatted';

import { RegisteredDeliveryApi } from '../../credentials/RegisteredDeliveryApi.credentials.ts';
import { useDeduplication } from './deduplication.ts';

export type Credentials = Record<string, object>;

/** An input item; files become its binary data. */
export interface InputItem {
	json?: IDataObject;
	files?: Record<string, { name: string; type: string; content: Buffer }>;
}

export interface RunOptions {
	parameters: INodeParameters;
	credentials: Credentials;
	/** n8n's ids of the credentials, by type; default: the type. */
	credentialIds?: Record<string, string>;
	items?: InputItem[];
	/** n8n's setting *On Error*; the default stops the workflow. */
	onError?: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** The node's id, which is another once it is cut and pasted. */
	nodeId?: string;
	workflowId?: string;
	/** What n8n has stored for the node and its workflow; the run's own is put into it. */
	staticData?: IDataObject;
	/** How often the error output leads back into the node, with `onError: 'continueErrorOutput'`. */
	rounds?: number;
	/** What comes back is the workflow's input again, as `$('Start').itemMatching()` finds it. */
	restores?: boolean;
	retryOnFail?: boolean;
	timezone?: string;
	/** The workflow's setting: where files are kept; `combined` needs {@link useBinaryStore}. */
	binaryMode?: 'separate' | 'combined';
	/** Of the workflow; n8n takes anything but `v1` for its legacy order. */
	executionOrder?: 'v0' | 'v1';
	/** The failed execution to retry, as n8n's list of executions does. */
	retryOf?: IRun;
	/** Receives a function that stops the execution, as the editor's button does. */
	onStart?: (stop: () => void) => void;
	/** Defaults to the pack's own; the packed ones when those are tested. */
	credentialTypes?: Record<string, ICredentialType>;
}

export interface RunResult {
	/** Items on the first output. */
	items: INodeExecutionData[];
	/** Items on the error output, with `onError: 'continueErrorOutput'`. */
	errorItems: INodeExecutionData[];
	error: (Error & { description?: string | null; context?: IDataObject }) | undefined;
	hints: NodeExecutionHint[];
	run: IRun;
}

const credentialTypes: Record<string, ICredentialType> = {
	registeredDeliveryApi: new RegisteredDeliveryApi(),
};

/** Stores binary data in files, as n8n does by default; without this it stays in the items. */
export async function useBinaryStore(): Promise<void> {
	await serviceOfN8n(BinaryDataService).init();
}

/** Switches `N8N_SSRF_PROTECTION_ENABLED` on or off: requests to loopback and private addresses are refused, but for these hosts. */
export function protectFromSsrf(enabled: boolean, allowedHostnames: string[] = []): void {
	const { SsrfProtectionConfig } = fromCore('@n8n/config') as {
		SsrfProtectionConfig: new () => object;
	};
	Object.assign(serviceOfN8n(SsrfProtectionConfig), { enabled, allowedHostnames });
}

const fromCore = createRequire(require.resolve('n8n-core'));

// The container of n8n-core's own copy of the package: services live where they are registered.
function serviceOfN8n<T>(type: new (...args: never[]) => T): T {
	const { Container } = fromCore('@n8n/di') as {
		Container: { get<S>(service: new (...args: never[]) => S): S };
	};
	return Container.get(type);
}

/** What nodes warn of in n8n's log, from now on. */
export function watchWarnings(): string[] {
	const { Logger } = fromCore('@n8n/backend-common') as {
		Logger: new () => { warn(message: string): void };
	};
	const warnings: string[] = [];
	serviceOfN8n(Logger).warn = (message) => void warnings.push(message);
	return warnings;
}

let executions = 1;

/** Runs one node over the items and returns its output. */
export async function runNode(nodeType: INodeType, options: RunOptions): Promise<RunResult> {
	const { items = [{}], onError = 'stopWorkflow' } = options;
	const workflow = workflowOf(nodeType, options, items);
	const additionalData = additionalDataFor(options.credentials, options.credentialTypes);
	additionalData.executionId = `execution${++executions}`;
	const running =
		options.retryOf === undefined
			? new WorkflowExecute(additionalData, 'manual').run({
					workflow,
					startNode: workflow.getNode('Start') ?? undefined,
				})
			: new WorkflowExecute(
					additionalData,
					'retry',
					asRetried(options.retryOf, workflow),
				).processRunExecutionData(workflow);
	options.onStart?.(() => running.cancel());
	const run = await running;
	const stored = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
	Object.assign(options.staticData ?? {}, stored);
	const taskData = run.data.resultData.runData['Under Test']?.at(-1);
	const [first, second] = taskData?.data?.main ?? [];
	return {
		items: first ?? [],
		errorItems: onError === 'continueErrorOutput' ? (second ?? []) : [],
		error: run.data.resultData.error as RunResult['error'],
		hints: taskData?.hints ?? [],
		run,
	};
}

/** What n8n stores of a failed execution and restarts: everything but the failure, in the workflow as it is by now. */
export function asRetried({ data }: IRun, workflow?: Workflow): IRun['data'] {
	const stored = parse(stringify(data)) as IRun['data'];
	delete stored.resultData.error;
	stored.resultData.runData['Under Test']?.pop();
	for (const next of stored.executionData?.nodeExecutionStack ?? []) {
		next.node = workflow?.getNode(next.node.name) ?? next.node;
	}
	return stored;
}

/** What n8n has of an execution that was stopped or killed: how it began. */
export function asBegun(run: IRun): IRun {
	const data = parse(stringify(run.data)) as IRun['data'];
	data.resultData = { runData: {} };
	if (data.executionData) {
		data.executionData.contextData = {};
		data.executionData.nodeExecutionStack = [
			{ node: nodeNamed('Start', 'test.start', 1), data: { main: [[{ json: {} }]] }, source: null },
		];
	}
	return { ...run, data };
}

/** What the editor's *Test* button of a credential does when a node tests it. */
export async function testCredential(
	nodeType: INodeType,
	name: string,
	data: object,
): Promise<INodeCredentialTestResult> {
	const test = nodeType.methods?.credentialTest?.[name];
	if (!test) throw new Error(`The node has no credential test "${name}".`);
	const context = new CredentialTestContext(additionalDataFor({}));
	return await test.call(context, { data } as ICredentialsDecrypted);
}

/** A node with a webhook as n8n sees it when it is registered and called. */
export function triggerContexts(nodeType: INodeType, options: RunOptions & { webhookUrl: string }) {
	const { webhookUrl } = options;
	const workflow = workflowOf(nodeType, options, []);
	const node = workflow.getNode('Under Test') as INode;
	const [webhookDescription] = nodeType.description.webhooks ?? [];
	const webhookData = { webhookDescription, isTest: false, workflowId: workflow.id } as never;
	const additionalData = () => ({
		...additionalDataFor(options.credentials),
		webhookBaseUrl: webhookUrl,
	});
	return {
		registering: () =>
			new HookContext(workflow, node, additionalData(), 'trigger', 'activate', webhookData),
		webhook: (request: Request, response: Response) =>
			new WebhookContext(
				workflow,
				node,
				{ ...additionalData(), httpRequest: request, httpResponse: response },
				'webhook',
				webhookData,
				[],
				null,
			),
	};
}

export function workflowOf(nodeType: INodeType, options: RunOptions, items: InputItem[]): Workflow {
	const { rounds = 0, restores = false } = options;
	const { timezone = 'Europe/Brussels', executionOrder = 'v1', binaryMode } = options;
	const types: Record<string, INodeType> = {
		'test.start': startNode(items),
		'test.node': nodeType,
		'test.back': backNode(rounds, restores),
	};
	const underTest: INode = {
		id: options.nodeId ?? '00000000-0000-4000-8000-000000000002',
		name: 'Under Test',
		type: 'test.node',
		typeVersion: 1,
		position: [200, 0],
		webhookId: '00000000-0000-4000-8000-0000000000ff',
		onError: options.onError,
		retryOnFail: options.retryOnFail,
		maxTries: 3,
		// Anything less would be treated as the default of a second.
		waitBetweenTries: 1,
		credentials: Object.fromEntries(
			Object.keys(options.credentials).map((name) => [
				name,
				{ id: options.credentialIds?.[name] ?? name, name },
			]),
		),
		parameters: options.parameters,
	};
	// What the editor does when it opens a node: defaults fill in omitted parameters.
	underTest.parameters =
		NodeHelpers.getNodeParameters(
			nodeType.description.properties,
			options.parameters,
			true,
			false,
			underTest,
			nodeType.description,
		) ?? options.parameters;
	return new Workflow({
		id: options.workflowId ?? 'workflow1',
		active: false,
		nodes: [
			nodeNamed('Start', 'test.start', 1),
			underTest,
			...(rounds > 0 ? [nodeNamed('Back', 'test.back', 3)] : []),
		],
		connections: {
			Start: { main: [to('Under Test')] },
			...(rounds > 0 && {
				'Under Test': { main: [[], to('Back')] },
				Back: { main: [to('Under Test')] },
			}),
		},
		nodeTypes: {
			getByName: (name) => types[name],
			getByNameAndVersion: (name) => types[name],
			getKnownTypes: () => ({}),
		},
		staticData: options.staticData,
		settings: { timezone, executionOrder, binaryMode },
	});
}

const nodeNamed = (name: string, type: string, id: number): INode => ({
	id: `00000000-0000-4000-8000-00000000000${id}`,
	name,
	type,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
});

const to = (node: string) => [{ node, type: NodeConnectionTypes.Main, index: 0 }];

function startNode(items: InputItem[]): INodeType {
	return {
		description: {
			displayName: 'Start',
			name: 'start',
			group: ['trigger'],
			version: 1,
			description: '',
			defaults: { name: 'Start' },
			inputs: [],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			return [await Promise.all(items.map((item) => inputItem(this, item)))];
		},
	};
}

/** Lets items through so many times. */
function backNode(rounds: number, restores: boolean): INodeType {
	const { description } = startNode([]);
	return {
		description: { ...description, name: 'back', group: [], inputs: [NodeConnectionTypes.Main] },
		async execute(this: IExecuteFunctions) {
			const items = this.getInputData().map((item, at) => {
				const back = restores ? startItemOf(this, at) : item;
				return { ...back, pairedItem: { item: at } };
			});
			return [rounds-- > 0 ? items : []];
		},
	};
}

function startItemOf(context: IExecuteFunctions, at: number): INodeExecutionData {
	const { $ } = context.getWorkflowDataProxy(at);
	const start = ($ as (node: string) => Record<string, (at: number) => INodeExecutionData>)(
		'Start',
	);
	return start.itemMatching(at);
}

async function inputItem(
	{ helpers }: IExecuteFunctions,
	{ json = {}, files = {} }: InputItem,
): Promise<INodeExecutionData> {
	const binary: INodeExecutionData['binary'] = {};
	for (const [field, { name, type, content }] of Object.entries(files)) {
		binary[field] = await helpers.prepareBinaryData(content, name, type);
	}
	return { json, ...(Object.keys(files).length > 0 && { binary }) };
}

export function additionalDataFor(
	credentials: Credentials,
	types = credentialTypes,
): IWorkflowExecuteAdditionalData {
	useDeduplication();
	const hooks = new ExecutionLifecycleHooks('manual', 'execution1', {
		id: 'workflow1',
		name: 'Test',
	} as never);
	return {
		executionId: 'execution1',
		restApiUrl: 'http://localhost/rest',
		instanceBaseUrl: 'http://localhost/',
		webhookBaseUrl: 'http://localhost/webhook',
		webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
		webhookTestBaseUrl: 'http://localhost/webhook-test',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
		variables: {},
		hooks,
		setExecutionStatus: () => {},
		sendDataToUI: () => {},
		credentialsHelper: {
			getParentTypes: () => [],
			isCredentialUsableByNode: () => true,
			getDecrypted: async (_: unknown, { name }: { name: string }) => ({ ...credentials[name] }),
			preAuthentication: async () => undefined,
			authenticate: async (
				data: ICredentialDataDecryptedObject,
				typeName: string,
				request: IHttpRequestOptions,
			) => await authenticateWith(types[typeName], data, request),
		},
	} as unknown as IWorkflowExecuteAdditionalData;
}

async function authenticateWith(
	{ authenticate }: ICredentialType,
	data: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	if (typeof authenticate === 'function') return await authenticate(data, request);
	const headers: IDataObject = {};
	for (const [name, template] of Object.entries(authenticate?.properties.headers ?? {})) {
		headers[name] = String(template)
			.replace(/^=/, '')
			.replace(/{{\s*\$credentials\.(\w+)\s*}}/g, (_, field: string) => String(data[field]));
	}
	return { ...request, headers: { ...request.headers, ...headers } };
}
