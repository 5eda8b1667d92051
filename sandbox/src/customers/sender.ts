import { customerNotFound, customerNotRegistered } from '../http/errors.ts';
import type { Account, Customer } from '../state/model.ts';
import type { Store } from '../state/store.ts';

/** The caller's own customer; another's does not exist for it (rules SEND-06 and CONS-07). */
export function checkCustomer(store: Store, account: Account, id: string): Customer {
	const customer = store.customers.get(id.toLowerCase());
	if (customer?.accountId !== account.id) throw customerNotFound();
	return customer;
}

/** Rule SEND-06: only customers that have accepted the delegation. */
export function requireAccepted(store: Store, account: Account, id: string): Customer {
	const customer = checkCustomer(store, account, id);
	if (customer.state !== 'ACCEPTED') throw customerNotRegistered(customer.state);
	return customer;
}
