import { registeredCertificate } from './certificates.ts';
import { newCustomer } from '../customers/customer-record.ts';
import type { Identity } from './identity.ts';
import type { Ids } from '../world/ids.ts';
import { SEEDED_ACCOUNTS } from './seeded-accounts.ts';
import type { Store } from '../world/store.ts';

/** Fills an empty store with the seeded accounts and customers. */
export function seed(store: Store, identity: Identity, ids: Ids, now: number): void {
	const accounts = SEEDED_ACCOUNTS.map(({ name, company, role, kyc }) => ({
		id: ids.uuid(),
		name,
		company,
		role,
		kyc,
		paymentRefused: false,
		token: identity.accounts[name]?.token ?? ids.token(name),
		certificates: [identity.accounts[name]?.client ?? []].flat().map(registeredCertificate),
	}));
	for (const account of accounts) store.put('accounts', account);
	SEEDED_ACCOUNTS.forEach(({ customers }, index) => {
		const accountId = accounts[index]?.id ?? '';
		for (const { name, email, state } of customers) {
			const wanted = { name, email, isPaying: false, willSendLre: false };
			const customer = newCustomer(wanted, accountId, ids, now, state);
			store.put('customers', customer);
		}
	});
}
