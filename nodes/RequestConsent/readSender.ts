import type { IExecuteFunctions } from 'n8n-workflow';

import { readCustomer } from '../shared/customerPicker';
import { parameterError } from '../shared/perItem';

/**
 * The customer a reseller acts for, or nothing. The interface does not show the name of the field, in
 * the request or as a filter: `sender` is assumed, as on letters (design, section 9; rule CONS-06).
 */
export function readSender(context: IExecuteFunctions, itemIndex: number, value: unknown): string {
	const result = readCustomer(value);
	if ('problem' in result) throw parameterError(context, itemIndex, 'Sender', result.problem);
	return result.id;
}
