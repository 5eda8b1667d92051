import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

/**
 * How the delivery service proves that an event comes from it; only the Direct Trigger uses it. Fields and
 * defaults are those of the receiver's `INGEST_…` variables (rule EVNT-04). The trigger's own test checks it,
 * since there is no server to test against.
 */
export class RegisteredDeliveryWebhookApi implements ICredentialType {
	name = 'registeredDeliveryWebhookApi';

	displayName = 'Registered Delivery Webhook API';

	icon: Icon = {
		light: 'file:../icons/registeredDelivery.svg',
		dark: 'file:../icons/registeredDelivery.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-registered-delivery/n8n-nodes-registered-delivery/blob/main/docs/credentials.md#registered-delivery-webhook-api';

	properties: INodeProperties[] = [
		{
			displayName: 'Scheme',
			name: 'scheme',
			type: 'options',
			options: [
				{
					name: 'Basic Authentication',
					value: 'basic',
					description: 'User and password, sent with each request',
				},
				{
					name: 'HMAC Signature',
					value: 'hmac',
					description: 'HMAC-SHA256 of time and body, in a header',
				},
				{
					name: 'Shared Secret Header',
					value: 'sharedSecret',
					description: 'The secret itself in a header; does not protect the body',
				},
				{
					name: 'Standard Webhooks',
					value: 'standardWebhooks',
					description: 'Signature as www.standardwebhooks.com describes it',
				},
			],
			default: 'hmac',
			description: 'How the service proves that an event comes from it',
		},
		{
			displayName: 'Secret',
			name: 'secrets',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'As set in your account at the service, character by character',
			displayOptions: { show: { scheme: ['hmac', 'sharedSecret', 'standardWebhooks'] } },
		},
		{
			displayName: 'Other Secret',
			name: 'otherSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'Also accepted, while you replace one',
			displayOptions: { show: { scheme: ['hmac', 'sharedSecret', 'standardWebhooks'] } },
		},
		{
			displayName: 'User',
			name: 'secrets',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			placeholder: 'e.g. delivery:a-long-password',
			description: 'User and password, separated by a colon',
			displayOptions: { show: { scheme: ['basic'] } },
		},
		{
			displayName: 'Other User',
			name: 'otherSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'Also accepted, while you replace one',
			displayOptions: { show: { scheme: ['basic'] } },
		},
		{
			displayName: 'Secret Header',
			name: 'headerName',
			type: 'string',
			default: 'x-webhook-secret',
			description: 'Name of the header that contains the secret',
			displayOptions: { show: { scheme: ['sharedSecret'] } },
		},
		{
			displayName: 'Signature Header',
			name: 'signatureHeader',
			type: 'string',
			default: 'x-webhook-signature',
			description:
				'Name of the header that contains the signature in hexadecimal or Base64. It may contain several, and the time (t=…,v1=…,v1=…).',
			displayOptions: { show: { scheme: ['hmac'] } },
		},
		{
			displayName: 'Timestamp Header',
			name: 'timestampHeader',
			type: 'string',
			default: 'x-webhook-timestamp',
			description:
				"Name of the header that contains the time of signing, unless the signature's header has it: seconds or milliseconds since 1970, or ISO 8601",
			displayOptions: { show: { scheme: ['hmac'] } },
		},
		{
			displayName: 'Signed Content',
			name: 'template',
			type: 'string',
			default: '{timestamp}.{body}',
			description:
				'What the service signs: {body}, with {timestamp} if it signs that too. Without it, an old request can be replayed at any time; the event keeps its ID.',
			displayOptions: { show: { scheme: ['hmac'] } },
		},
	];
}
