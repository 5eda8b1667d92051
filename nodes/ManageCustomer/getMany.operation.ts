import { choiceField, readOptions } from '../shared/fields/field';
import { listFields, readLimit } from '../shared/fields/listFields';
import { optionsField, type NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';
import { readList } from '../shared/transport/paging';
import { requestAsReseller } from './resellerRequest';

const options = {
	state: choiceField({
		displayName: 'State',
		name: 'state',
		// Rule CUST-04.
		options: [
			{ name: 'Accepted', value: 'ACCEPTED', description: 'You can send letters for them' },
			{ name: 'Cancelled', value: 'CANCELLED', description: 'You cancelled the delegation' },
			{ name: 'Pending', value: 'PENDING', description: 'They have not answered yet' },
			{ name: 'Refused', value: 'REFUSED', description: 'They refused the delegation' },
			{ name: 'Revoked', value: 'REVOKED', description: 'They revoked the delegation' },
		],
		default: 'ACCEPTED',
		description: 'Only return customers in this state',
	}),
};

/** Lists the customers of a reseller (interface, GET /customers; rules CUST-03, CUST-04, CUST-09). */
export const getMany: NodeOperation = {
	name: 'Get Many Customers',
	value: 'getMany',
	description: 'List customers, with the state of their delegation',
	action: 'Get many customers',
	fields: [...listFields, optionsField(options)],
	execute: perItem({
		prepare(context, itemIndex) {
			const { state } = readOptions(context, itemIndex, options);
			return { limit: readLimit(context, itemIndex), state };
		},

		async perform(context, { limit, state }) {
			const customers = await readList(limit, async (paging) => {
				const query = { ...(state !== undefined && { state }), ...paging };
				const request = { method: 'GET', path: '/customers', query } as const;
				return (await requestAsReseller(context, request)).body;
			});
			return customers.map((json) => ({ json }));
		},
	}),
};
