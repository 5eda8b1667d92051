import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	Icon,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { keptToOrigin } from './ownOrigin';

/** n8n's own public API, where Await Outcome and Await Consent find what sleeps without a receiver. */
export class RegisteredDeliveryN8nApi implements ICredentialType {
	name = 'registeredDeliveryN8nApi';

	displayName = 'Registered Delivery N8n API';

	icon: Icon = {
		light: 'file:../icons/registeredDelivery.svg',
		dark: 'file:../icons/registeredDelivery.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-registered-delivery/n8n-nodes-registered-delivery/blob/main/docs/credentials.md#registered-delivery-n8n-api';

	properties: INodeProperties[] = [
		{
			displayName:
				'n8n polls the service itself: outcomes come after minutes, without webhooks, and only while the workflow is published. The key reads all executions of its user, and may expire.',
			name: 'withoutReceiverNotice',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'N8n URL',
			name: 'n8nUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.app.n8n.cloud',
			description: 'Address of this n8n, as its own process reaches it',
		},
		{
			displayName: 'N8n API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'Made under Settings > n8n API, with the scopes execution:list and execution:read, by a user who has access to the workflow',
		},
	];

	/** @throws Error, without the key, if the request would send it to any address but n8n's own */
	async authenticate(
		{ n8nUrl, apiKey }: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const own = keptToOrigin(request, {
			address: String(n8nUrl),
			field: 'n8n URL',
			secrets: 'The n8n API key was',
		});
		const headers = { ...request.headers, 'X-N8N-API-KEY': String(apiKey).trim() };
		return { ...own, headers };
	}
}
