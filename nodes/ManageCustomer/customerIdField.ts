import type { IExecuteFunctions } from 'n8n-workflow';

import { customerPicker, readCustomer } from '../shared/customerPicker';
import { parameterError } from '../shared/perItem';

/** The customer whose logo it is. */
export const customerIdField = customerPicker(
	{
		displayName: 'Customer',
		name: 'customerId',
		required: true,
		description: 'The customer whose logo is set or deleted',
		displayOptions: { show: { operation: ['setLogo', 'deleteLogo'] } },
	},
	'searchCustomers',
);

/** @throws NodeOperationError when none was chosen, or what was given is no id. */
export function readCustomerId(context: IExecuteFunctions, itemIndex: number): string {
	const result = readCustomer(context.getNodeParameter('customerId', itemIndex));
	const problem =
		'problem' in result ? result.problem : result.id === '' ? 'None is chosen.' : null;
	if (problem !== null) throw parameterError(context, itemIndex, 'Customer', problem);
	return (result as { id: string }).id;
}
