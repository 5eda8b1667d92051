import type { INodeProperties } from 'n8n-workflow';

import { checkedCredential } from '../shared/credentialCheck';
import { customerOption, customerPicker } from '../shared/customerPicker';
import { listFields, readLimit, readList } from '../shared/paging';
import { Options } from '../shared/options';
import type { ListOperation } from '../shared/perItem';
import { requestService } from '../shared/service';

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
		const sender = customerOption(Options.of(context, itemIndex), 'sender', 'Sender') ?? null;
		return { limit: readLimit(context, itemIndex), sender };
	},

	async perform(context, prepared, itemIndex) {
		const { limit, sender } = prepared;
		const consents = await readList(context, limit, async (paging) => {
			const query = { ...(sender !== null && { sender }), ...paging };
			const request = { method: 'GET', path: '/consents', query } as const;
			return (await requestService(context, request, itemIndex)).body;
		});
		return consents.map((json) => ({ json, pairedItem: { item: itemIndex } }));
	},
};
