import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import { authenticate } from './authenticate';

/**
 * Access to the delivery service, and to who learns of what happens to letters there: a webhook receiver, or this n8n
 * by its own API. Nodes need different parts, so no field is required; each node says which part it lacks.
 */
export class RegisteredDeliveryApi implements ICredentialType {
	name = 'registeredDeliveryApi';

	displayName = 'Registered Delivery API';

	icon: Icon = {
		light: 'file:../icons/registeredDelivery.svg',
		dark: 'file:../icons/registeredDelivery.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-registered-delivery/n8n-nodes-registered-delivery/blob/main/docs/credentials.md#registered-delivery-api';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://api.delivery.example',
			description: 'Address of the service. It must start with https.',
		},
		{
			displayName: 'API Token',
			name: 'apiToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'From the dashboard of your account, which shows it only once',
		},
		{
			displayName: 'CA Certificate (PEM)',
			name: 'caCertificate',
			type: 'string',
			typeOptions: { password: true, rows: 4 },
			default: '',
			placeholder: 'e.g. -----BEGIN CERTIFICATE-----',
			description:
				'The certificate of the authority. Required only if the service uses a private one, as the sandbox does.',
		},
		{
			displayName:
				'Only registered letters (LRE) need a client certificate. The docs show how a .p12 file becomes PEM.',
			name: 'registeredLetterNotice',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'Client Certificate (PEM)',
			name: 'clientCertificate',
			type: 'string',
			typeOptions: { password: true, rows: 4 },
			default: '',
			placeholder: 'e.g. -----BEGIN CERTIFICATE-----',
			description: 'The certificate registered with your account, with its chain if there is one',
		},
		{
			displayName: 'Client Key (PEM)',
			name: 'clientKey',
			type: 'string',
			typeOptions: { password: true, rows: 4 },
			default: '',
			placeholder: 'e.g. -----BEGIN PRIVATE KEY-----',
			description: 'The private key of the certificate',
		},
		{
			displayName: 'Passphrase',
			name: 'passphrase',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'Decrypts the client key if it is encrypted',
		},
		{
			displayName: 'Tracked Mail Spelling',
			name: 'trackedMailSpelling',
			type: 'options',
			options: [
				{ name: 'AES', value: 'AES' },
				{ name: 'MT', value: 'MT' },
			],
			default: 'AES',
			description: 'How your account spells the message type of tracked mail',
		},
		{
			displayName: 'Follow Letters With',
			name: 'followWith',
			type: 'options',
			options: [
				{
					name: 'Nothing',
					value: 'nothing',
					description: 'Letters are sent. Nodes ask for their status only when they run.',
				},
				{
					name: 'This n8n',
					value: 'n8n',
					description: 'Nothing to host: Await Outcome and Await Consent poll the service',
				},
				{
					name: 'Webhook Receiver',
					value: 'receiver',
					description: 'Events start workflows, and keys hold across all n8n processes',
				},
			],
			default: 'nothing',
			description:
				'What learns of the outcomes of your letters, for the trigger and the Await nodes',
		},
		{
			displayName: 'Receiver URL',
			name: 'receiverUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://receiver.example.com',
			description: 'Address at which n8n reaches your webhook receiver',
			displayOptions: { show: { followWith: ['receiver'] } },
		},
		{
			displayName: 'Receiver Token',
			name: 'receiverToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'The N8N_TOKEN set on the receiver, or its MANAGEMENT_TOKEN',
			displayOptions: { show: { followWith: ['receiver'] } },
		},
		{
			displayName:
				'n8n polls the service, the more rarely the older a letter is: an outcome may be known hours late, and only while the workflow is published. The key reads all executions of its user, and may expire.',
			name: 'withoutReceiverNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { followWith: ['n8n'] } },
		},
		{
			displayName: 'N8n URL',
			name: 'n8nUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://example.app.n8n.cloud',
			description: 'Address of this n8n, as its own process reaches it',
			displayOptions: { show: { followWith: ['n8n'] } },
		},
		{
			displayName: 'N8n API Key',
			name: 'n8nApiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Make it in n8n under Settings > n8n API, with the scopes execution:list and execution:read, as a user who has access to the workflow',
			displayOptions: { show: { followWith: ['n8n'] } },
		},
	];

	/**
	 * A function, since n8n 2.41 takes 45 ms to evaluate an expression for each request. A property, since n8n loses a
	 * method when it lists the credentials that its HTTP Request node can use.
	 */
	authenticate = async (
		credential: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => authenticate(credential, request, new Date());
}
