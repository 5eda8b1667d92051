import type { INodeProperties } from 'n8n-workflow';

import { checkedCredential } from '../shared/credentialCheck';
import { listFields, readLimit, readList } from '../shared/paging';
import { Options } from '../shared/options';
import type { ListOperation } from '../shared/perItem';
import { requestAsReseller } from './resellerRequest';

const show = { operation: ['getMany'] };

/** Rule CUST-04. */
const STATES = ['ACCEPTED', 'CANCELLED', 'PENDING', 'REFUSED', 'REVOKED'];

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
			{
				displayName: 'State',
				name: 'state',
				type: 'options',
				options: [
					{ name: 'Accepted', value: 'ACCEPTED', description: 'Letters can be sent for them' },
					{ name: 'Cancelled', value: 'CANCELLED', description: 'You cancelled the delegation' },
					{ name: 'Pending', value: 'PENDING', description: 'They have not answered yet' },
					{ name: 'Refused', value: 'REFUSED', description: 'They refused the delegation' },
					{ name: 'Revoked', value: 'REVOKED', description: 'They took the delegation back' },
				],
				default: 'ACCEPTED',
				description: 'Only customers in this state',
			},
		],
	},
];

interface Query {
	limit: number | null;
	/** Null for every state. */
	state: string | null;
}

/** Lists the customers of a reseller (interface, GET /customers; rules CUST-03, CUST-04, CUST-09). */
export const getMany: ListOperation<Query> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		const state = Options.of(context, itemIndex).choice('state', 'State', STATES) ?? null;
		return { limit: readLimit(context, itemIndex), state };
	},

	async perform(context, prepared, itemIndex) {
		const { limit, state } = prepared;
		const customers = await readList(context, limit, async (paging) => {
			const query = { ...(state !== null && { state }), ...paging };
			const request = { method: 'GET', path: '/customers', query } as const;
			return (await requestAsReseller(context, request, itemIndex)).body;
		});
		return customers.map((json) => ({ json, pairedItem: { item: itemIndex } }));
	},
};
