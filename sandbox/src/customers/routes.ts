import type { Router, Request, Response } from 'express';
import { exactRouter } from '../http/exact-router.ts';
import { z } from 'zod/v4';
import { callerOf } from '../http/authentication.ts';
import { customersSchema, newCustomer, shownCustomer, type NewCustomer } from './customer.ts';
import { checked } from '../http/field-errors.ts';
import { invalid, resellersOnly, unknownCustomer } from '../http/errors.ts';
import { checkLogo } from './logos.ts';
import { askForDelegation } from './delegation-reply.ts';
import { CUSTOMER_STATES, type Account, type Attachment, type Customer } from '../state/model.ts';
import { paged, pagingSchema } from '../http/paging.ts';
import { refuseUnknownMembers } from '../http/unknown-members.ts';
import { readBody } from '../http/request-body.ts';
import { requireSameWorld } from '../http/same-world.ts';
import { asAttachment, discard, type UploadedFile } from '../http/upload.ts';
import type { World } from '../world/world.ts';

export const customerQuery = pagingSchema.extend({ state: z.enum(CUSTOMER_STATES).optional() });

const LOGO_FIELD = /^customers\[(\d+)\](?:\.logo|\[logo\])$/;

/** A reseller's customers (sections POST /customers/bulk_store and GET /customers). */
export function customerRoutes(world: World): Router {
	const router = exactRouter();
	router.post('/customers/bulk_store', async (request, response) => {
		const { account } = requireReseller(response);
		const { sent, files } = await readBody(world, request, response, {
			members: customersSchema,
			fileField: LOGO_FIELD,
			jsonFields: ['customers'],
			flags: ['isPaying', 'willSendLre'],
		});
		try {
			// Rule CUST-02: every error in any of them.
			const wanted = checked(customersSchema, sent).customers;
			const logos = await readLogos(files, wanted.length);
			requireSameWorld(world, response);
			const customers = wanted.map((one, index) =>
				create(world, account, one, logos.get(index) ?? null),
			);
			response.status(201).json({ customers: customers.map(shownCustomer) });
		} catch (error) {
			await discard(files);
			throw error;
		}
	});
	router.get('/customers', (request, response) => {
		const { account } = requireReseller(response);
		if (world.strict) refuseUnknownMembers(customerQuery, request.query);
		const { state } = checked(customerQuery, request.query);
		const customers = [...world.store.customers.values()]
			.filter(({ accountId }) => accountId === account.id)
			.filter((customer) => state === undefined || customer.state === state);
		response.json(paged(customers.map(shownCustomer), request.query));
	});
	return router;
}

/** Rule CUST-08. */
export function requireReseller(response: Response) {
	const caller = callerOf(response);
	if (caller.account.role !== 'reseller') throw resellersOnly();
	return caller;
}

/** The reseller's customer in the path; malformed or another's, it is unknown (rule CUST-06). */
export function findCustomer({ store }: World, request: Request, account: Account): Customer {
	const customer = store.customers.get(String(request.params.id).toLowerCase());
	if (customer?.accountId !== account.id) throw unknownCustomer();
	return customer;
}

/** Rule CUST-01: each customer gets a mail requesting the delegation. */
function create(
	world: World,
	account: Account,
	wanted: NewCustomer,
	logo: Attachment | null,
): Customer {
	const customer = newCustomer(wanted, account.id, world.clock.now());
	customer.logo = logo;
	world.store.put('customers', customer);
	askForDelegation(world, customer, account.company);
	return customer;
}

/** Logos by their customer's position; one bad logo fails the whole request (rule CUST-02). */
async function readLogos(files: UploadedFile[], customerCount: number) {
	const logos = new Map<number, Attachment>();
	for (const file of files) {
		const index = Number(LOGO_FIELD.exec(file.field)?.[1]);
		const field = `customers.${index}.logo`;
		if (index >= customerCount || logos.has(index))
			throw invalid({ field, rule: 'unexpectedFile', message: `${field} is not wanted` });
		await checkLogo(file, field);
		logos.set(index, asAttachment(file));
	}
	return logos;
}
