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
export const readCustomers = (sent: object, isForm: boolean): NewCustomer[] =>
	checked(customersSchema, isForm ? withFlags(sent) : sent).customers;

// Forms have no booleans.
function withFlags(sent: object): object {
	const { customers } = sent as { customers?: unknown };
	if (!Array.isArray(customers)) return sent;
	return { customers: customers.map((customer: unknown) => flagged(customer)) };
}

function flagged(customer: unknown): unknown {
	if (typeof customer !== 'object' || customer === null) return customer;
	return Object.fromEntries(
		Object.entries(customer).map(([name, value]: [string, unknown]) => [
			name,
			FLAGS.has(name) ? (TEXTS.get(value) ?? value) : value,
		]),
	);
}

const FLAGS = new Set(['isPaying', 'willSendLre']);
const TEXTS = new Map<unknown, boolean>([
	['true', true],
	['1', true],
	['false', false],
	['0', false],
]);
