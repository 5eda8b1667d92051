import { registeredCertificate } from './certificates.ts';
import { newCustomer } from './customer-record.ts';
import type { Identity } from './identity.ts';
import type { Ids } from './ids.ts';
import type { Account, CustomerState } from './model.ts';
import type { Store } from './store.ts';

interface Seed {
	name: string;
	company: string;
	role: Account['role'];
	kyc: boolean;
	certificate: boolean;
	customers: Array<{ name: string; email: string; state: CustomerState }>;
}

/** The accounts of a fresh sandbox. */
export const SEEDED_ACCOUNTS: Seed[] = [
	{
		name: 'direct',
		company: 'Atelier Nord',
		role: 'direct',
		kyc: true,
		certificate: true,
		customers: [],
	},
	{
		name: 'token-only',
		company: 'Studio Sud',
		role: 'direct',
		kyc: false,
		certificate: false,
		customers: [],
	},
	{
		name: 'reseller',
		company: 'Courrier & Partners',
		role: 'reseller',
		kyc: true,
		certificate: true,
		customers: [
			{ name: 'Boulangerie Lune', email: 'lune@customers.example', state: 'ACCEPTED' },
			{ name: 'Garage Soleil', email: 'soleil@customers.example', state: 'PENDING' },
		],
	},
];

/** Fills an empty store with the seeded accounts and customers. */
export function seed(store: Store, identity: Identity, ids: Ids, now: number): void {
	store.accounts = SEEDED_ACCOUNTS.map(({ name, company, role, kyc }) => ({
		id: ids.uuid(),
		name,
		company,
		role,
		kyc,
		paymentRefused: false,
		token: identity.accounts[name]?.token ?? ids.token(name),
		certificates: [identity.accounts[name]?.client ?? []].flat().map(registeredCertificate),
	}));
	SEEDED_ACCOUNTS.forEach(({ customers }, index) => {
		const accountId = store.accounts[index]?.id ?? '';
		for (const { name, email, state } of customers) {
			const wanted = { name, email, isPaying: false, willSendLre: false };
			const customer = newCustomer(wanted, accountId, ids, now, state);
			store.customers.set(customer.id, customer);
		}
	});
}
