import { checkedCredential } from '../shared/credentialCheck';
import type { ItemOperation } from '../shared/perItem';
import { apiError, unexpectedAnswer } from '../shared/serviceError';
import { readCustomerId } from './customerIdField';
import { requestAsReseller } from './resellerRequest';

/** Deletes a customer's logo; having none is no error (interface, DELETE /customers/{id}/logo; CUST-07). */
export const deleteLogo: ItemOperation<string> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		return readCustomerId(context, itemIndex);
	},

	async perform(context, customerId, itemIndex) {
		const request = { method: 'DELETE', path: `/customers/${customerId}/logo` } as const;
		const { status, body } = await requestAsReseller(context, request, itemIndex);
		if (status === 204) return { customerId, deleted: true };
		throw apiError(context, unexpectedAnswer(status, body, '204 and no content'), itemIndex);
	},
};
