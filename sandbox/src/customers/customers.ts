import { z } from 'zod/v4';
import { json, serviceEndpoint } from '../endpoint/endpoint.ts';
import { isEmail } from '../http/contacts.ts';
import { invalid } from '../http/errors.ts';
import { paged, pageOf, pagingSchema } from '../http/paging.ts';
import { showsNothing } from '../http/unseen.ts';
import { asAttachment, type UploadedFile } from '../http/upload.ts';
import { CUSTOMER_STATES, customerRecord, type Attachment } from '../state/model.ts';
import { named } from '../state/schemas.ts';
import { newCustomer } from './customer.ts';
import { askForDelegation } from './delegation-reply.ts';
import { checkLogo } from './logos.ts';

const MAX_CUSTOMERS = 1000;

/** A customer to request a delegation from. */
const wantedCustomer = z.object({
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

/** Section Customer: exactly its fields. */
const shownCustomer = named(
	'Customer',
	customerRecord.omit({ accountId: true, logo: true }).extend({ delegationToken: z.string() }),
);

const LOGO_FIELD = /^customers\[(\d+)\](?:\.logo|\[logo\])$/;

/** Section POST /customers/bulk_store. */
export const createCustomers = serviceEndpoint({
	method: 'post',
	path: '/customers/bulk_store',
	id: 'createCustomers',
	summary: 'Ask customers for delegations, all or none (resellers)',
	isForResellers: true,
	body: z.object({ customers: z.array(wantedCustomer).min(1).max(MAX_CUSTOMERS) }),
	files: { field: 'logo', names: LOGO_FIELD },
	answer: json(z.object({ customers: z.array(shownCustomer) }), 201),
	handle(world, { caller: { account }, body, files }) {
		const logos = readLogos(files, body.customers.length);
		const customers = body.customers.map((wanted, index) => {
			const customer = newCustomer(wanted, account.id, world.clock.now());
			customer.logo = logos.get(index) ?? null;
			world.store.put('customers', customer);
			// Rule CUST-01.
			askForDelegation(world, customer, account.company);
			return customer;
		});
		return { customers };
	},
});

/** Section GET /customers. */
export const listCustomers = serviceEndpoint({
	method: 'get',
	path: '/customers',
	id: 'listCustomers',
	summary: 'Customers of the reseller',
	isForResellers: true,
	query: pagingSchema.extend({ state: z.enum(CUSTOMER_STATES).optional() }),
	answer: json(pageOf(shownCustomer)),
	handle({ store }, { caller: { account }, query }) {
		const customers = [...store.customers.values()]
			.filter(({ accountId }) => accountId === account.id)
			.filter(({ state }) => query.state === undefined || state === query.state);
		return paged(customers, query);
	},
});

/** Logos by their customer's position; one bad logo fails the whole request (rule CUST-02). */
function readLogos(files: UploadedFile[], customerCount: number) {
	const logos = new Map<number, Attachment>();
	for (const file of files) {
		const index = Number(LOGO_FIELD.exec(file.field)?.[1]);
		const field = `customers.${index}.logo`;
		if (index >= customerCount || logos.has(index))
			throw invalid({ field, rule: 'unexpectedFile', message: `${field} is not wanted` });
		checkLogo(file, field);
		logos.set(index, asAttachment(file));
	}
	return logos;
}
