import { z } from 'zod/v4';
import { isEmail } from '../world/contacts.ts';
import { checked } from '../http/field-errors.ts';

const MAX_CUSTOMERS = 1000;

/** A customer to request a delegation from (section POST /customers/bulk_store). */
export const newCustomerSchema = z.object({
	name: z.string().trim().min(1).max(1000),
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

/** Returns all customers, or reports every error in any of them (rule CUST-02). */
export const readCustomers = (sent: object): NewCustomer[] =>
	checked(customersSchema, sent).customers;
