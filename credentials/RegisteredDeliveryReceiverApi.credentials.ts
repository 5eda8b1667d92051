import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	Icon,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { keptToOrigin } from './ownOrigin';

/** Access to the webhook receiver; used by the trigger, Await Outcome and Send Letter. */
export class RegisteredDeliveryReceiverApi implements ICredentialType {
	name = 'registeredDeliveryReceiverApi';

	displayName = 'Registered Delivery Receiver API';

	icon: Icon = {
		light: 'file:../icons/registeredDelivery.svg',
		dark: 'file:../icons/registeredDelivery.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-registered-delivery/n8n-nodes-registered-delivery/blob/main/docs/credentials.md#registered-delivery-receiver-api';

	properties: INodeProperties[] = [
		{
			displayName: 'Receiver URL',
			name: 'receiverUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://receiver.example.com',
			description: 'Address at which n8n reaches your webhook receiver',
		},
		{
			displayName: 'Management Token',
			name: 'managementToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'The N8N_TOKEN set on the receiver, or its MANAGEMENT_TOKEN',
		},
	];

	/**
	 * A function, since n8n 2.41 takes 45 ms to evaluate an expression for each request.
	 *
	 * @throws Error, without the token, if the request would send it to any address but the receiver's own
	 */
	async authenticate(
		{ receiverUrl, managementToken }: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const own = keptToOrigin(request, {
			address: String(receiverUrl),
			field: 'Receiver URL',
			secrets: 'The Management Token was',
		});
		const Authorization = `Bearer ${String(managementToken)}`;
		return { ...own, headers: { ...request.headers, Authorization } };
	}
}
