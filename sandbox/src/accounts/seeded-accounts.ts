import type { Account, CustomerState } from '../world/model.ts';

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
