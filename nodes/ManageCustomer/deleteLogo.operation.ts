import { readField } from '../shared/fields/field';
import type { NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';
import { ServiceFailed, unexpectedAnswer } from '../shared/transport/serviceError';
import { requestAsReseller } from './resellerRequest';
import { customerIdField } from './setLogo.operation';

/**
 * Deletes a customer's logo; having none is not an error (interface, DELETE /customers/{id}/logo; CUST-07).
 */
export const deleteLogo: NodeOperation = {
	name: 'Delete Logo',
	value: 'deleteLogo',
	description: 'Delete the logo of a customer',
	action: 'Delete logo of customer',
	fields: [customerIdField],
	execute: perItem({
		prepare: (context, itemIndex) => readField(context, itemIndex, customerIdField),

		async perform(context, customerId) {
			const request = { method: 'DELETE', path: `/customers/${customerId}/logo` } as const;
			const { status, body } = await requestAsReseller(context, request);
			if (status === 204) return { customerId, deleted: true };
			throw new ServiceFailed(unexpectedAnswer(status, body, '204 and no content'));
		},
	}),
};
