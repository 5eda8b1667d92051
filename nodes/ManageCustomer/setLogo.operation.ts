import { field, readFields, readText } from '../shared/fields/field';
import { isRecord } from '../../webhook-receiver/src/core/is-record';
import { invalidItem } from '../shared/fields/invalidItem';
import { picker } from '../shared/fields/picker';
import type { NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';
import { readInputFiles } from '../shared/items/inputFiles';
import { StreamedForm, type FilePart } from '../shared/transport/multipart';
import { transferTimeout } from '../shared/transport/service';
import { ServiceFailed, unexpectedAnswer } from '../shared/transport/serviceError';
import { requestAsReseller } from './resellerRequest';

/** The customer whose logo it is. */
export const customerIdField = picker(
	{
		displayName: 'Customer',
		name: 'customerId',
		required: true,
		description: 'The customer whose logo to set or delete',
	},
	'customer',
	'searchCustomers',
);

const logoField = field(
	{
		displayName: 'Logo Field',
		name: 'logoField',
		type: 'string',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		description: 'Input binary field with the logo: a JPEG or PNG image of at most 2 MB',
		hint: 'The name of the input binary field containing the file to be uploaded',
	},
	readText,
);

/** Sets the logo in the customer's notification emails (interface, PUT /customers/{id}/logo). */
export const setLogo: NodeOperation = {
	name: 'Set Logo',
	value: 'setLogo',
	description: 'Set the logo shown in the notification emails of a customer',
	action: 'Set logo of customer',
	fields: [customerIdField, logoField],
	execute: perItem({
		async prepare(context, itemIndex) {
			const fields = { customerId: customerIdField, name: logoField };
			const { customerId, name } = readFields(context, itemIndex, fields);
			const [file] = await readInputFiles(context, itemIndex, logoField.displayName, [name]);
			return { customerId, logo: await logoPart(file) };
		},

		async perform(context, { customerId, logo }) {
			const request = {
				method: 'PUT',
				path: `/customers/${customerId}/logo`,
				body: new StreamedForm({}, [logo]),
				timeout: transferTimeout(logo.size),
			} as const;
			const { status, body } = await requestAsReseller(context, request);
			const isSet = status === 200 && isRecord(body) && typeof body.logoUrl === 'string';
			if (isSet) return { customerId, ...body };
			throw new ServiceFailed(unexpectedAnswer(status, body, 'the logoUrl of the logo'));
		},
	}),
};

/** Largest logo: 2 × 1024 × 1024 bytes (rule CUST-05). */
const MAX_LOGO_BYTES = 2 * 1024 * 1024;

const FORMATS = [
	{ fileName: 'logo.png', mimeType: 'image/png', start: '89504e470d0a1a0a' },
	{ fileName: 'logo.jpg', mimeType: 'image/jpeg', start: 'ffd8ff' },
];

/**
 * The file as the form part of a logo (rule CUST-05). Its first bytes determine its format: names and types
 * of binary data are often wrong.
 *
 * @throws InvalidItem
 */
async function logoPart(file: FilePart): Promise<FilePart> {
	const { displayName } = logoField;
	if (file.size > MAX_LOGO_BYTES) {
		const size = (file.size / 1024 / 1024).toFixed(1);
		throw invalidItem(displayName, `The file is ${size} MB; the maximum for a logo is 2 MB.`);
	}
	const first = (await firstBytes(file, 8)).toString('hex');
	const format = FORMATS.find(({ start }) => first.startsWith(start));
	if (!format) {
		throw invalidItem(
			displayName,
			`The file "${file.fileName}" is neither a JPEG nor a PNG image.`,
		);
	}
	const { fileName, mimeType } = format;
	return { ...file, field: 'logo', fileName, mimeType };
}

async function firstBytes({ open }: FilePart, count: number): Promise<Buffer> {
	let bytes = Buffer.alloc(0);
	for await (const chunk of await open()) {
		bytes = Buffer.concat([bytes, chunk.subarray(0, count)]);
		if (bytes.length >= count) break;
	}
	return bytes.subarray(0, count);
}
