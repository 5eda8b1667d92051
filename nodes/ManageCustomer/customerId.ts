import { customerPicker, readCustomer } from '../shared/fields/customerPicker';
import type { Reading } from '../shared/fields/reading';

/** The customer whose logo it is. */
export const customerIdField = customerPicker(
	{
		displayName: 'Customer',
		name: 'customerId',
		required: true,
		description: 'The customer whose logo to set or delete',
	},
	'searchCustomers',
);

export function readCustomerId(value: unknown): Reading<string> {
	const customer = readCustomer(value);
	if (!('value' in customer) || customer.value !== '') return customer;
	return { problem: 'Choose one.' };
}
