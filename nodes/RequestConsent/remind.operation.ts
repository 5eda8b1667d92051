import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { checkedCredential } from '../shared/credentialCheck';
import { parameterError, type ItemOperation } from '../shared/perItem';
import { postOnce } from '../shared/postOnce';
import { apiError } from '../shared/serviceError';
import { isUuid } from '../shared/uuid';

export const remindFields: INodeProperties[] = [
	{
		displayName: 'Consent ID',
		name: 'consentId',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. 3f2b8c1e-5d7a-4e9b-8a6c-1f0e2d3c4b5a',
		description: 'The consent to remind of. It must be of type email, and pending.',
		displayOptions: { show: { operation: ['remind'] } },
	},
];

/** Reminds a contact by e-mail (interface, POST /consents/{id}/remind; rule CONS-08). */
export const remind: ItemOperation<string> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		const id = String(context.getNodeParameter('consentId', itemIndex, '') ?? '').trim();
		if (!isUuid(id)) {
			const problem = `"${id}" is not a consent ID, which is a UUID.`;
			throw parameterError(context, itemIndex, 'Consent ID', problem);
		}
		return id;
	},

	async perform(context, consentId, itemIndex) {
		const request = { method: 'POST', path: `/consents/${consentId}/remind` } as const;
		const result = await postOnce(context, request, itemIndex);
		if ('failure' in result) throw apiError(context, result.failure, itemIndex);
		return { consentId, ...(result.body as IDataObject) };
	},
};
