import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { checkedCredential } from '../shared/credentialCheck';
import { customerPicker } from '../shared/customerPicker';
import { listFields, readLimit, readList } from '../shared/paging';
import { givenOption } from '../shared/parameters';
import { parameterError, type ListOperation } from '../shared/perItem';
import { requestService } from '../shared/service';
import { readSender } from './readSender';

const show = { operation: ['getMany'] };

export const getManyFields: INodeProperties[] = [
	...listFields(show),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show },
		options: [
			customerPicker(
				{
					displayName: 'Sender',
					name: 'sender',
					description: 'For resellers: only consents that were asked for this customer',
				},
				'searchCustomers',
			),
		],
	},
];

interface Query {
	limit: number | null;
	/** Null for every customer's. */
	sender: string | null;
}

/** Lists the newest consent of each contact (interface, GET /consents; rule CONS-07). */
export const getMany: ListOperation<Query> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		return { limit: readLimit(context, itemIndex), sender: readFilter(context, itemIndex) };
	},

	async perform(context, prepared, itemIndex) {
		const { limit, sender } = prepared;
		const consents = await readList(context, limit, async (paging) => {
			const query = { ...(sender !== null && { sender }), ...paging };
			return await requestService(context, { method: 'GET', path: '/consents', query }, itemIndex);
		});
		return consents.map((json) => ({ json, pairedItem: { item: itemIndex } }));
	},
};

// One that came out empty must not list the consents of every customer.
function readFilter(context: IExecuteFunctions, itemIndex: number): string | null {
	const option = givenOption(context, itemIndex, 'sender');
	if (option === null) return null;
	const sender = readSender(context, itemIndex, option.value);
	if (sender !== '') return sender;
	const problem = 'None is chosen. Choose a customer, or remove the option.';
	throw parameterError(context, itemIndex, 'Sender', problem);
}
