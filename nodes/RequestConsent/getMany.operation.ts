import type { INodeProperties } from 'n8n-workflow';

import { checkedCredential } from '../shared/credentialCheck';
import { customerPicker } from '../shared/customerPicker';
import { listFields, readLimit, readList } from '../shared/paging';
import type { GroupOperation } from '../shared/perGroup';
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
	sender: string;
}

/** Lists the newest consent of each contact (interface, GET /consents; rule CONS-07). */
export const getMany: GroupOperation<Query> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		const options = context.getNodeParameter('options', itemIndex, {});
		return {
			limit: readLimit(context, itemIndex),
			sender: readSender(context, itemIndex, options.sender),
		};
	},

	async perform(context, [{ itemIndex, prepared }]) {
		const { limit, sender } = prepared;
		const consents = await readList(context, limit, async (paging) => {
			const query = { ...(sender !== '' && { sender }), ...paging };
			return await requestService(context, { method: 'GET', path: '/consents', query }, itemIndex);
		});
		return consents.map((json) => ({ json, pairedItem: { item: itemIndex } }));
	},
};
