// Workflows that events start, through n8n's own Webhook node or ours.
import type { StoredWorkflow } from '../../n8n/api.ts';
import { until } from '../../n8n/poll.ts';
import { node } from '../../real-n8n/workflows.ts';
import { afterRow } from '../clean-up.ts';
import { signedEvents } from '../parts/events.ts';
import { MANAGEMENT_TOKEN, startReceiver, type ReceiverProcess } from '../parts/receiver.ts';
import { byReceiver } from '../../support/sandbox.ts';
import { sharedN8n } from './stack.ts';

export interface Starter {
	workflow: StoredWorkflow;
	/** The node that starts it. */
	node: string;
	/** Where the load posts, with `/events` appended. */
	url: string;
	/** Headers every post needs in addition to its signature. */
	headers?: Record<string, string>;
}

/**
 * n8n's own Webhook node, which answers at once, followed by a node that does nothing, or by none.
 * With a secret, only requests that carry it are accepted.
 */
export async function publishWebhook(
	path: string,
	{ followUp = true, secret }: { followUp?: boolean; secret?: string | undefined } = {},
): Promise<Starter> {
	const { stack } = await sharedN8n();
	const auth = secret === undefined ? null : await headerAuth(secret);
	const webhook = node(
		'Webhook',
		'n8n-nodes-base.webhook',
		2,
		{
			httpMethod: 'POST',
			path: `${path}/events`,
			responseMode: 'onReceived',
			options: {},
			...(auth && { authentication: 'headerAuth' }),
		},
		{ webhookId: crypto.randomUUID(), ...(auth && { credentials: auth.credentials }) },
	);
	const workflow = await publish(`Webhook ${path}`, webhook, followUp);
	// n8n listens only on 127.0.0.1, while `localhost` may be tried at ::1 first.
	const url = `${stack.n8n.url.replace('//localhost', '//127.0.0.1')}/webhook/${path}`;
	// n8n publishes in the background.
	await until('a published webhook', async () => {
		const { body, headers } = signedEvents();
		const shown = { ...headers, ...auth?.headers };
		const answer = await fetch(`${url}/events`, { method: 'POST', body, headers: shown });
		return answer.ok;
	});
	return { workflow, node: webhook.name, url, ...(auth && { headers: auth.headers }) };
}

/** The check n8n offers for known senders: a secret in a header, stored as a credential. */
async function headerAuth(secret: string) {
	const { stack } = await sharedN8n();
	const header = { name: 'x-webhook-secret', value: secret };
	const id = await stack.api.saveCredential(header.name, 'httpHeaderAuth', header);
	return {
		credentials: { httpHeaderAuth: { id, name: header.name } },
		headers: { [header.name]: secret },
	};
}

/** The Registered Delivery Trigger, behind its own receiver, followed by the same node. */
export async function publishTrigger(options: {
	batchSize: number;
	maxConcurrentExecutions?: number;
}): Promise<Starter & { receiver: ReceiverProcess }> {
	const { stack } = await sharedN8n();
	const receiver = await startReceiver();
	const { url } = receiver;
	const credential = `Receiver at ${url}`;
	const data = byReceiver(url, MANAGEMENT_TOKEN);
	const id = await stack.api.saveCredential(credential, 'registeredDeliveryApi', data);
	const trigger = node(
		'Registered Delivery Trigger',
		'n8n-nodes-registered-delivery.registeredDeliveryTrigger',
		1,
		{ events: ['*'], simplify: false, options },
		{ credentials: { registeredDeliveryApi: { id, name: credential } } },
	);
	const name = `Trigger, ${options.batchSize} events an execution`;
	const workflow = await publish(name, trigger, true);
	await receiver.api.untilHeld(workflow.id, 1);
	return { workflow, node: trigger.name, url, receiver };
}

/** Unpublished after the row, so that it does not run beside the next measurement. */
async function publish(
	name: string,
	starter: ReturnType<typeof node>,
	followUp: boolean,
): Promise<StoredWorkflow> {
	const { stack } = await sharedN8n();
	const next = node('Follow Up', 'n8n-nodes-base.noOp', 1, {}, { position: [220, 0] });
	const workflow = await stack.api.saveWorkflow({
		name,
		nodes: followUp ? [starter, next] : [starter],
		connections: followUp
			? { [starter.name]: { main: [[{ node: next.name, type: 'main', index: 0 }]] } }
			: {},
		settings: { executionOrder: 'v1' },
	});
	await stack.api.activate(workflow.id);
	afterRow(() => stack.api.deactivate(workflow.id));
	return workflow;
}
