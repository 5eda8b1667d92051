import type { WorkflowFile } from '../n8n/api.ts';
import type { Stack } from '../n8n/stack.ts';
import { byN8n } from '../support/sandbox.ts';
import { awaitOutcome } from './awaiting.ts';

const FOLLOWING = 'Registered Delivery (without a receiver)';

/** Saves a credential with an API key of this n8n, by which it follows itself. @returns its id */
export async function saveN8nKey(stack: Stack, n8nApiKey: string): Promise<string> {
	const data = stack.serviceCredential('direct', byN8n(stack.n8n.url, n8nApiKey));
	return await stack.api.saveCredential(FOLLOWING, 'registeredDeliveryApi', data);
}

/** The credentials of a node that n8n itself follows. */
export function followingCredentials(id: string) {
	return { registeredDeliveryApi: { id, name: FOLLOWING } };
}

/** Await Outcome that n8n itself follows, with a new key. */
export async function followedByN8n(
	stack: Stack,
	parameters: object = {},
): Promise<WorkflowFile['nodes'][number]> {
	const { rawApiKey } = await stack.api.createApiKey(`Of the test ${Date.now()}`);
	const credentials = followingCredentials(await saveN8nKey(stack, rawApiKey));
	return awaitOutcome(parameters, { credentials });
}
