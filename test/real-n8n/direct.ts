// What the service posts straight to n8n, and the workflows that take it.
import type { StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { signedHeaders } from '../support/signed-headers.ts';

export const TYPE = 'registeredDeliveryWebhookApi';
export const SECRET = 'secret-of-direct-mode';

/** A workflow in direct mode, and the URL its events go to. */
export interface Direct {
	workflow: StoredWorkflow;
	url: string;
	testUrl: string;
}

export async function saveDirect(
	stack: Stack,
	name: string,
	credential: object = { scheme: 'hmac', secrets: SECRET },
): Promise<Direct> {
	const id = await stack.api.saveCredential(name, TYPE, credential);
	const webhookId = crypto.randomUUID();
	const workflow = await stack.importExample('follow-letters.json', (file) => {
		file.name = name;
		Object.assign(file.nodes[0], {
			type: 'n8n-nodes-registered-delivery.registeredDeliveryDirectTrigger',
			webhookId,
			parameters: { simplify: false, options: {}, events: ['*'] },
			credentials: { [TYPE]: { id, name } },
		});
	});
	const path = `${webhookId}/events`;
	const { url } = stack.n8n;
	return { workflow, url: `${url}/webhook/${path}`, testUrl: `${url}/webhook-test/${path}` };
}

export async function publishDirect(stack: Stack, name: string): Promise<Direct> {
	const direct = await saveDirect(stack, name);
	await stack.api.activate(direct.workflow.id);
	await untilThere(direct.url);
	return direct;
}

/** n8n publishes in the background, and answers 404 until then. */
export async function untilThere(url: string): Promise<void> {
	await until('the webhook of the workflow', async () => {
		const answer = await fetch(url, { method: 'POST' });
		return answer.status === 401;
	});
}

/** Posts it as the service does, signed. */
export async function postDirect(url: string, body: string): Promise<Response> {
	const headers = { ...signedHeaders(body, SECRET), 'content-type': 'application/json' };
	return await fetch(url, { method: 'POST', headers, body });
}

export const opened = (id: string) =>
	JSON.stringify({ id, event: 'aes_opened', messageId: '000000000999', timestamp: 1893456000 });
