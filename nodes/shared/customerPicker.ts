import type { INodeProperties } from 'n8n-workflow';

import type { Options } from './options';
import { isUuid, UUID_PATTERN } from './uuid';

/** Search methods a picker can use; a node that has the picker lists them under `methods.listSearch`. */
export type CustomerSearch = 'searchCustomers' | 'searchAcceptedCustomers';

/**
 * Lets the user choose a customer from the list or by its id (rule SEND-06).
 *
 * @param search whether every customer is offered, or only those that letters can be sent for
 */
export function customerPicker(
	field: Pick<INodeProperties, 'displayName' | 'name' | 'description'> & Partial<INodeProperties>,
	search: CustomerSearch,
): INodeProperties {
	return {
		...field,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Select a customer…',
				typeOptions: { searchListMethod: search, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
				validation: [
					{
						type: 'regex',
						properties: {
							regex: `^\\s*${UUID_PATTERN}\\s*$`,
							errorMessage: 'A customer ID is a UUID such as 7c9e6679-7425-40de-944b-e07fc1f90ae7',
						},
					},
				],
			},
		],
	};
}

export type CustomerChoice = { id: string } | { problem: string };

/**
 * Reads what the picker holds: a locator, or the plain id that an expression or an older workflow
 * gives. An empty choice is an empty id.
 */
export function readCustomer(value: unknown): CustomerChoice {
	const chosen = isLocator(value) ? value.value : value;
	const text = String(chosen ?? '').trim();
	if (text === '' || isUuid(text)) return { id: text };
	return { problem: `"${text}" is not a customer ID, which is a UUID.` };
}

/**
 * The customer that an option names; the interface does not show what the field is called on consents:
 * `sender` is assumed, as on letters (design, section 9; rules SEND-06, CONS-06).
 */
export function customerOption(
	options: Options,
	name: string,
	displayName: string,
): string | undefined {
	return options.read(name, displayName, (value) => {
		const customer = readCustomer(value);
		return 'id' in customer ? { value: customer.id } : customer;
	});
}

function isLocator(value: unknown): value is { value: unknown } {
	return typeof value === 'object' && value !== null && 'value' in value;
}
