import { registeredCertificate } from './certificates.ts';
import { newCustomer } from '../customers/customer-record.ts';
import type { Identity } from './identity.ts';
import type { Ids } from '../world/ids.ts';
import { SEEDED_ACCOUNTS } from './seeded-accounts.ts';
import type { Store } from '../world/store.ts';

/** Fills an empty store with the seeded accounts and customers. */
export function seed(store: Store, identity: Identity, ids: Ids, now: number): void {
	for (const { id: accountId, name, company, role, kyc, customers } of SEEDED_ACCOUNTS) {
		const { token = ids.token(name), client } = identity.accounts[name] ?? {};
		store.put('accounts', {
			id: accountId,
			name,
			company,
			role,
			kyc,
			token,
			paymentRefused: false,
			certificates: client ? [registeredCertificate(client)] : [],
		});
		for (const { id, name, email, state } of customers) {
			const wanted = { name, email, isPaying: false, willSendLre: false };
			store.put('customers', { ...newCustomer(wanted, accountId, ids, now, state), id });
		}
	}
}
