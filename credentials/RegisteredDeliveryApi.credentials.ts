import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import { authenticate } from './authenticate';

/** Access to the delivery service: a token for everything, a client certificate for registered letters. */
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
			required: true,
			placeholder: 'e.g. https://api.delivery.example',
			description: 'Address of the service. It must start with https.',
		},
		{
			displayName: 'API Token',
			name: 'apiToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
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
	];

	async authenticate(
		credential: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		return authenticate(credential, request, new Date());
	}
}
