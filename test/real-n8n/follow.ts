import type { WorkflowFile } from '../n8n/api.ts';
import { SERVICE_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import { awaitOutcome } from './awaiting.ts';

const N8N_CREDENTIAL = 'This n8n';

/** Saves an API key of this n8n as the credential by which it follows itself. @returns its id */
export async function saveN8nKey(stack: Stack, apiKey: string): Promise<string> {
	const data = { n8nUrl: stack.n8n.url, apiKey };
	return await stack.api.saveCredential(N8N_CREDENTIAL, 'registeredDeliveryN8nApi', data);
}

/** The credentials of a node that n8n itself follows. */
export function followingCredentials(stack: Stack, n8nCredential: string) {
	const service = { id: stack.credentialId(SERVICE_CREDENTIAL), name: SERVICE_CREDENTIAL };
	const n8n = { id: n8nCredential, name: N8N_CREDENTIAL };
	return { registeredDeliveryApi: service, registeredDeliveryN8nApi: n8n };
}

/** Await Outcome that n8n itself follows, with a new key. */
export async function followedByN8n(
	stack: Stack,
	parameters: object = {},
): Promise<WorkflowFile['nodes'][number]> {
	const { rawApiKey } = await stack.api.createApiKey(`Of the test ${Date.now()}`);
	const credentials = followingCredentials(stack, await saveN8nKey(stack, rawApiKey));
	return awaitOutcome(parameters, { credentials });
}
