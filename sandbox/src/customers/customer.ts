import { randomUUID } from 'node:crypto';
import { z } from 'zod/v4';
import { iso } from '../state/clock.ts';
import { isEmail } from '../http/contacts.ts';
import { showsNothing } from '../http/unseen.ts';
import { newId } from '../state/ids.ts';
import type { Customer, CustomerState } from '../state/model.ts';

const MAX_CUSTOMERS = 1000;

/** A customer to request a delegation from (section POST /customers/bulk_store). */
export const newCustomerSchema = z.object({
	name: z
		.string()
		.trim()
		.min(1)
		.max(1000)
		.refine((name) => name === '' || !showsNothing(name), {
			message: 'shows nothing',
			params: { rule: 'minLength' },
		}),
	email: z
		.string()
		.trim()
		.refine(isEmail, { message: 'not an e-mail address', params: { rule: 'email' } }),
	isPaying: z.boolean(),
	willSendLre: z.boolean(),
});
export type NewCustomer = z.infer<typeof newCustomerSchema>;

export const customersSchema = z.object({
	customers: z.array(newCustomerSchema).min(1).max(MAX_CUSTOMERS),
});

/** A customer without any request yet. */
export function newCustomer(
	wanted: NewCustomer,
	accountId: string,
	now: number,
	state: CustomerState = 'PENDING',
): Customer {
	return {
		id: randomUUID(),
		accountId,
		...wanted,
		state,
		delegationToken: newId('delegation'),
		userId: randomUUID(),
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
