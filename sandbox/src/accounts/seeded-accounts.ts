import { newCustomer } from '../customers/customer.ts';
import { newToken } from '../state/ids.ts';
import type { Account, Credentials, CustomerState } from '../state/model.ts';
import type { Store } from '../state/store.ts';
import { registeredCertificate } from './authority.ts';

interface Seed {
	id: string;
	name: string;
	company: string;
	role: Account['role'];
	/** With it the account has a certificate (rule TYPE-02). */
	kyc: boolean;
	customers: Array<{ id: string; name: string; email: string; state: CustomerState }>;
}

/**
 * The accounts of a fresh sandbox. Their IDs and those of their customers are always the same: what a
 * workflow or a test has noted is still true after a reset.
 */
export const SEEDED_ACCOUNTS: Seed[] = [
	{
		id: '3b0c9d52-6a7e-4f1d-9c38-5e2f7a1b8d01',
		name: 'direct',
		company: 'Atelier Nord',
		role: 'direct',
		kyc: true,
		customers: [],
	},
	{
		id: '5d1e0c47-2f93-4ab6-8e05-7c4b9f6a3d02',
		name: 'token-only',
		company: 'Studio Sud',
		role: 'direct',
		kyc: false,
		customers: [],
	},
	{
		id: '7f4a2b86-9c15-4de0-b7a2-1d8e5c3f6a03',
		name: 'reseller',
		company: 'Courrier & Partners',
		role: 'reseller',
		kyc: true,
		customers: [
			{
				id: 'a26c8f13-4b7d-4e59-92f0-6b3a1e9d5c04',
				name: 'Boulangerie Lune',
				email: 'lune@customers.example',
				state: 'ACCEPTED',
			},
			{
				id: 'c8e51d70-3f2a-4b96-8d47-9a0f6c2b7e05',
				name: 'Garage Soleil',
				email: 'soleil@customers.example',
				state: 'PENDING',
			},
		],
	},
];

/** What the accounts connect with, by name. */
export type AccountCredentials = Record<string, { token: string; client: Credentials | null }>;

/** Fills an empty store with the seeded accounts and customers. */
export function seed(
	store: Store,
	{ accounts }: { accounts: AccountCredentials },
	now: number,
): void {
	for (const { id: accountId, name, company, role, kyc, customers } of SEEDED_ACCOUNTS) {
		const { token = newToken(), client } = accounts[name] ?? {};
		store.put('accounts', {
			id: accountId,
			name,
			company,
			role,
			kyc,
			token,
			certificates: client ? [registeredCertificate(client)] : [],
		});
		for (const { id, name, email, state } of customers) {
			const wanted = { name, email, isPaying: false, willSendLre: false };
			store.put('customers', { ...newCustomer(wanted, accountId, now, state), id });
		}
	}
}
