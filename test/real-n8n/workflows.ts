import type { StoredWorkflow, WorkflowFile } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import { SERVICE_CREDENTIAL, type Stack } from '../n8n/stack.ts';

type Node = WorkflowFile['nodes'][number];

/** What the types of its nodes begin with. */
export const PACK = 'n8n-nodes-registered-delivery';

/** The node every workflow here starts with. */
export const START: Node = node('Start', 'n8n-nodes-base.manualTrigger', 1, {});

/** A node from any package; a workflow places it and connects it to the previous one. */
export function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: object,
	more: object = {},
): Node {
	return {
		id: crypto.randomUUID(),
		name,
		type,
		typeVersion,
		position: [0, 0],
		parameters,
		...more,
	};
}

/** Starts a published workflow by a POST to `/webhook/<path>`, by default answered at once. */
export const webhook = (path: string, name = 'Start', responseMode = 'onReceived'): Node =>
	node(
		name,
		'n8n-nodes-base.webhook',
		2,
		{ path, httpMethod: 'POST', responseMode, options: {} },
		{ webhookId: path },
	);

/** n8n answers a GET with 404 too, but says that the path exists for POST. */
export async function untilServed(hook: string): Promise<void> {
	const isServed = async () => /POST request/.test(await (await fetch(hook)).text());
	await until('the webhook to be served', isServed);
}

/** Creates one item for each entry of the JSON array at the URL. */
export const itemsFrom = (url: string): Node =>
	node('Items', 'n8n-nodes-base.httpRequest', 4.2, { url, options: {} });

/** Downloads the file at the URL into the binary field `data`. */
export const download = (url: string): Node =>
	node('Download', 'n8n-nodes-base.httpRequest', 4.2, {
		url,
		options: { response: { response: { responseFormat: 'file' } } },
	});

/** Reads a file on this machine into the binary field `data`. */
export const readFromDisk = (file: string): Node =>
	node('Read', 'n8n-nodes-base.readWriteFile', 1, { fileSelector: file, options: {} });

export const sendLetter = (parameters: object, more: object = {}): Node =>
	node(
		'Send Letter',
		`${PACK}.sendLetter`,
		1,
		{
			operation: 'send',
			type: 'LS',
			recipientsFrom: 'json',
			body: '<p>Dear reader</p>',
			...parameters,
		},
		more,
	);

export const getStatus = (messageId: string, more: object = {}): Node =>
	node('Get Status', `${PACK}.getStatus`, 1, { operation: 'get', messageId }, more);

/** The recipient in the format of Send Letter's parameter. */
export function to(email: string, more: object = {}): { recipientsJson: string } {
	const recipient = { email, firstname: 'Ada', lastname: 'Martin', ...more };
	return { recipientsJson: JSON.stringify([recipient]) };
}

/** Saves a workflow whose nodes form a chain, with the stack's own credential by default. */
export async function saveChain(
	stack: Stack,
	name: string,
	nodes: Node[],
	credential: object = {},
): Promise<StoredWorkflow> {
	const credentialName = `${SERVICE_CREDENTIAL} of ${name}`;
	const { api } = stack;
	const data = stack.serviceCredential('direct', credential);
	const id = await api.saveCredential(credentialName, 'registeredDeliveryApi', data);
	const placed = nodes.map((one, index) => ({
		...one,
		position: [index * 220, 0],
		...(one.type.startsWith(`${PACK}.`) && {
			credentials: {
				...(one.credentials as object | undefined),
				registeredDeliveryApi: { id, name: credentialName },
			},
		}),
	}));
	const connections = Object.fromEntries(
		placed
			.slice(0, -1)
			.map(({ name: from }, index) => [
				from,
				{ main: [[{ node: placed[index + 1].name, type: 'main', index: 0 }]] },
			]),
	);
	return await api.saveWorkflow({
		name,
		nodes: placed,
		connections,
		settings: { executionOrder: 'v1', saveManualExecutions: true },
	});
}
