import { iso } from '../world/clock.ts';
import type { NewCustomer } from './customer-request.ts';
import type { Ids } from '../world/ids.ts';
import type { Customer, CustomerState } from '../world/model.ts';

/** A customer without any request yet. */
export function newCustomer(
	wanted: NewCustomer,
	accountId: string,
	ids: Ids,
	now: number,
	state: CustomerState = 'PENDING',
): Customer {
	return {
		id: ids.uuid(),
		accountId,
		...wanted,
		state,
		delegationToken: ids.short('delegation'),
		userId: ids.uuid(),
		logo: null,
		createdAt: now,
		updatedAt: now,
	};
}

/** Section Customer: exactly its fields. */
export const shownCustomer = ({ accountId: _, logo: __, ...customer }: Customer) => ({
	...customer,
	createdAt: iso(customer.createdAt),
	updatedAt: iso(customer.updatedAt),
});
