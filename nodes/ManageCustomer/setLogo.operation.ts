import type { INodeProperties } from 'n8n-workflow';

import { readAttachments, uploadTimeout } from '../shared/attachments';
import { checkedCredential } from '../shared/credentialCheck';
import { isRecord } from '../shared/isRecord';
import { StreamedForm, type FilePart } from '../shared/multipart';
import { textParameter } from '../shared/parameters';
import { parameterError, type ItemOperation } from '../shared/perItem';
import { apiError, unexpectedAnswer } from '../shared/serviceError';
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

const LOGO_FIELD = { name: 'logoField', displayName: 'Logo Field' };

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
		const name = textParameter(context, itemIndex, LOGO_FIELD);
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
		const { status, body } = await requestAsReseller(context, request, itemIndex);
		const isSet = status === 200 && isRecord(body) && typeof body.logoUrl === 'string';
		if (isSet) return { customerId, ...body };
		throw apiError(context, unexpectedAnswer(status, body, 'the logoUrl of the logo'), itemIndex);
	},
};
