import type { StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { node } from '../real-n8n/workflows.ts';
import type { StoredConsumer } from '../../webhook-receiver/src/core/pull-contract.ts';
import { MANAGEMENT_TOKEN, type ReceiverProcess } from './receiver.ts';

/** A published workflow that events start. */
export interface StartedByEvents {
	workflow: StoredWorkflow;
	/** The node that starts it. */
	starter: string;
	/** Where the load posts: `/events` comes after it. */
	url: string;
}

const FOLLOW_UP = 'Follow Up';

/**
 * n8n's own Webhook node, which answers at once, alone or with a node after it. Its version 1 goes the
 * way of every other trigger node; version 2 n8n 2.41 lets in without an isolate for expressions.
 */
export async function publishWebhook(
	{ api, n8n }: Stack,
	path: string,
	{ followUp, version = 2 }: { followUp: boolean; version?: 1 | 2 },
): Promise<StartedByEvents> {
	const starter = 'Webhook';
	const webhook = node(
		starter,
		'n8n-nodes-base.webhook',
		version,
		{ httpMethod: 'POST', path: `${path}/events`, responseMode: 'onReceived', options: {} },
		{ webhookId: crypto.randomUUID() },
	);
	const workflow = await api.saveWorkflow(withFollowUp(`Webhook ${path}`, webhook, followUp));
	await api.activate(workflow.id);
	const url = `${loopback(n8n.url)}/webhook/${path}`;
	// n8n publishes in the background.
	await until('a published webhook', async () => {
		const answer = await fetch(`${url}/events`, { method: 'POST' });
		return answer.ok;
	});
	return { workflow, starter, url };
}

/** The Registered Delivery Trigger, behind a receiver of its own, with the same node after it. */
export async function publishTrigger(
	{ api }: Stack,
	receiver: ReceiverProcess,
	options: { batchSize: number; atOnce?: number },
): Promise<StartedByEvents> {
	const starter = 'Registered Delivery Trigger';
	const name = `Receiver at ${receiver.url}`;
	const id = await api.saveCredential(name, 'registeredDeliveryReceiverApi', {
		receiverUrl: receiver.url,
		managementToken: MANAGEMENT_TOKEN,
	});
	const trigger = node(
		starter,
		'n8n-nodes-registered-delivery.registeredDeliveryTrigger',
		1,
		{ events: ['*'], options },
		{ credentials: { registeredDeliveryReceiverApi: { id, name } } },
	);
	const title = `Trigger, ${options.batchSize} events an execution`;
	const workflow = await api.saveWorkflow(withFollowUp(title, trigger, true));
	await api.activate(workflow.id);
	await until('a trigger that pulls', async () => {
		const answer = await receiver.manage('GET', '/consumers');
		const { data } = (await answer.json()) as { data: StoredConsumer[] };
		return data.some(({ key, held }) => held && key.includes(`~${workflow.id}~`));
	});
	return { workflow, starter, url: receiver.url };
}

/** Unpublishes it, so that nothing of it runs beside what is measured next. */
export async function unpublish({ api }: Stack, { workflow }: StartedByEvents): Promise<void> {
	await api.deactivate(workflow.id);
}

function withFollowUp(name: string, starter: ReturnType<typeof node>, followUp: boolean) {
	const next = node(FOLLOW_UP, 'n8n-nodes-base.noOp', 1, {}, { position: [220, 0] });
	return {
		name,
		nodes: followUp ? [starter, next] : [starter],
		connections: followUp
			? { [starter.name]: { main: [[{ node: FOLLOW_UP, type: 'main', index: 0 }]] } }
			: {},
		settings: { executionOrder: 'v1' },
	};
}

/** n8n listens on 127.0.0.1 alone, `localhost` may be tried at ::1 first. */
function loopback(url: string): string {
	return url.replace('//localhost', '//127.0.0.1');
}
