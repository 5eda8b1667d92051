import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readVerifier, type WebhookCredential } from './webhookVerifier';

/**
 * The editor's test of the credential. There is nobody to ask: the secret only shows its worth when
 * the service calls. So it checks what can be checked, and says what it did not.
 */
export async function registeredDeliveryWebhookApiTest(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const { faults } = readVerifier((data ?? {}) as unknown as WebhookCredential);
	if (faults.length > 0) return { status: 'Error', message: faults.join(' ') };
	return {
		status: 'OK',
		message:
			'The fields are complete. Whether the service uses the same secret shows with its first event.',
	};
}
