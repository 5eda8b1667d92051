import type { INodeProperties } from 'n8n-workflow';

import type { Options } from './options';
import type { Reading } from './reading';
import { isUuid, UUID_PATTERN } from './uuid';

/** Search methods of a picker; a node with the picker lists them under `methods.listSearch`. */
export type CustomerSearch = 'searchCustomers' | 'searchAcceptedCustomers';

/**
 * Lets the user choose a customer from a list or by ID (rule SEND-06).
 *
 * @param search offers every customer, or only those that letters can be sent for
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

/**
 * Reads what the picker holds: a locator, or the plain ID that an expression or an older workflow gives.
 * No choice is an empty ID.
 */
export function readCustomer(value: unknown): Reading<string> {
	const isLocator = typeof value === 'object' && value !== null && 'value' in value;
	const text = String((isLocator ? value.value : value) ?? '').trim();
	if (text === '' || isUuid(text)) return { value: text };
	return { problem: `"${text}" is not a customer ID, which is a UUID.` };
}

const SENDER = { name: 'sender', displayName: 'Sender' };

/** The option for resellers that names the customer they act for. */
export function senderField(description: string, search: CustomerSearch): INodeProperties {
	return customerPicker({ ...SENDER, description: `For resellers: ${description}` }, search);
}

/**
 * The interface does not show the name of the field on consents: this assumes `sender`, as on letters
 * (design, section 9; rules SEND-06, CONS-06).
 */
export function readSender(options: Options): string | undefined {
	return options.read(SENDER.name, SENDER.displayName, readCustomer);
}
