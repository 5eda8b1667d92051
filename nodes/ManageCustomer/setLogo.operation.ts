import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { readAttachments, uploadTimeout } from '../shared/attachments';
import { checkedCredential } from '../shared/credentialCheck';
import { StreamedForm, type FilePart } from '../shared/multipart';
import { parameterError, type ItemOperation } from '../shared/perItem';
import { readCustomerId } from './customerIdField';
import { logoPart } from './logo';
import { requestAsReseller } from './resellerRequest';

export const setLogoFields: INodeProperties[] = [
	{
		displayName: 'Logo Field',
		name: 'logoField',
		type: 'string',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		description: 'Input binary field with the logo: a JPEG or PNG image of at most 2 MB',
		hint: 'The name of the input binary field containing the file to be uploaded',
		displayOptions: { show: { operation: ['setLogo'] } },
	},
];

interface Logo {
	customerId: string;
	part: FilePart;
}

/** Sets the logo shown in the customer's notification e-mails (interface, PUT /customers/{id}/logo). */
export const setLogo: ItemOperation<Logo> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		const customerId = readCustomerId(context, itemIndex);
		const fail = (problem: string) => parameterError(context, itemIndex, 'Logo Field', problem);
		const name = String(context.getNodeParameter('logoField', itemIndex, '') ?? '').trim();
		const binary = context.getInputData()[itemIndex].binary ?? {};
		if (!Object.hasOwn(binary, name)) {
			const present = Object.keys(binary).join(', ') || 'none';
			throw fail(`The item has no binary field "${name}". Its binary fields: ${present}.`);
		}
		const [file] = await readAttachments(context, itemIndex, [name]);
		const logo = await logoPart(file);
		if ('problem' in logo) throw fail(logo.problem);
		return { customerId, part: logo.part };
	},

	async perform(context, { customerId, part }, itemIndex) {
		const request = {
			method: 'PUT',
			path: `/customers/${customerId}/logo`,
			body: new StreamedForm({}, [part]),
			timeout: uploadTimeout(part.size),
		} as const;
		const answer = await requestAsReseller(context, request, itemIndex);
		return { customerId, ...(answer as IDataObject) };
	},
};
