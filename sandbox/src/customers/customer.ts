import { randomUUID } from 'node:crypto';
import { serviceError } from '../http/errors.ts';
import { newId } from '../state/ids.ts';
import type { Account, Customer, CustomerState } from '../state/model.ts';
import type { Store } from '../state/store.ts';

type Wanted = Pick<Customer, 'name' | 'email' | 'isPaying' | 'willSendLre'>;

/** A customer without any request yet. */
export const newCustomer = (
	wanted: Wanted,
	accountId: string,
	now: number,
	state: CustomerState = 'PENDING',
): Customer => ({
	...wanted,
	id: randomUUID(),
	accountId,
	state,
	delegationToken: newId('delegation'),
	userId: randomUUID(),
	logo: null,
	createdAt: now,
	updatedAt: now,
});

/** The caller's own customer; another's does not exist for it (rules SEND-06 and CONS-07). */
export function checkCustomer(store: Store, account: Account, id: string): Customer {
	const customer = store.customers.get(id.toLowerCase());
	if (customer?.accountId !== account.id)
		throw serviceError(422, 'customer-not-found', 'There is no such customer');
	return customer;
}

/** Rule SEND-06: only customers that have accepted the delegation. */
export function requireAccepted(store: Store, account: Account, id: string): Customer {
	const customer = checkCustomer(store, account, id);
	if (customer.state === 'ACCEPTED') return customer;
	const why = `The customer has not accepted the delegation (${customer.state})`;
	throw serviceError(422, 'customer-not-registered', why);
}
