import { picker } from '../shared/fields/picker';

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
