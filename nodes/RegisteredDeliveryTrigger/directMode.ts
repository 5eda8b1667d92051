import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { assertWebhookUrl } from '../shared/webhookUrl';
import { WEBHOOK_CREDENTIAL } from './mode';
import { readVerifier, type WebhookCredential } from './webhookVerifier';

/**
 * Refuses to go live with an address or a credential that no event could get through. There is
 * nothing to register: the webhook URL stands in the account at the service.
 */
export async function assertDirectMode(context: IHookFunctions): Promise<void> {
	assertWebhookUrl(context, context.getNodeWebhookUrl('default') ?? '', null);
	const credential = await context.getCredentials<WebhookCredential>(WEBHOOK_CREDENTIAL);
	const { faults } = readVerifier(credential);
	if (faults.length > 0) {
		throw new NodeOperationError(context.getNode(), 'The webhook credential is not complete', {
			description: `${faults.join(' ')} Correct the credential, then activate the workflow again.`,
		});
	}
}
