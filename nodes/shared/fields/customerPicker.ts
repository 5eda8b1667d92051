import type { INodeProperties } from 'n8n-workflow';

import type { Options } from './options';
import { picker, readPicked } from './picker';

/** Search methods for customers; a node with the field lists them under `methods.listSearch`. */
type CustomerSearch = 'searchCustomers' | 'searchAcceptedCustomers';

const SENDER = { displayName: 'Sender', name: 'sender' };

/**
 * The option for resellers that names the customer they act for.
 *
 * @param search offers every customer, or only those that letters can be sent for
 */
export function senderField(description: string, search: CustomerSearch): INodeProperties {
	return picker({ ...SENDER, description: `For resellers: ${description}` }, 'customer', search);
}

/**
 * The interface does not show the name of the field on consents: this assumes `sender`, as on letters
 * (rules SEND-06, CONS-06).
 */
export function readSender(options: Options): string | undefined {
	return options.read(SENDER.name, SENDER.displayName, (value) => readPicked(value, 'customer'));
}
