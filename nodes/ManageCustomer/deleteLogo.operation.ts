import { checkedCredential } from '../shared/credentialCheck';
import type { ItemOperation } from '../shared/perItem';
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
		await requestAsReseller(context, request, itemIndex);
		return { customerId, deleted: true };
	},
};
