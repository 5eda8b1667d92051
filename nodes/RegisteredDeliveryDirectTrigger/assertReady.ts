import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readAsked } from './readAsked';
import { webhookUrlProblem } from './webhookUrl';
import { readVerifier, WEBHOOK_CREDENTIAL, type WebhookCredential } from './webhookVerifier';

/**
 * Refuses to go live with an address, a credential or fields that no event could get through. There is
 * nothing to register: the webhook URL stands in the account at the service.
 */
export async function assertReady(context: IHookFunctions): Promise<void> {
	readAsked(context);
	const url = webhookUrlProblem(context.getNodeWebhookUrl('default') ?? '');
	if (url !== null) {
		const { message, description } = url;
		throw new NodeOperationError(context.getNode(), message, { description });
	}
	const credential = await context.getCredentials<WebhookCredential>(WEBHOOK_CREDENTIAL);
	const { faults } = readVerifier(credential);
	if (faults.length > 0) {
		throw new NodeOperationError(context.getNode(), 'The webhook credential is not complete', {
			description: `${faults.join(' ')} Correct the credential, then activate the workflow again.`,
		});
	}
}
