import { closeSync, openSync, readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Router } from 'express';
import { z } from 'zod/v4';
import { json, nothing, serviceEndpoint } from '../endpoint/endpoint.ts';
import { invalid, serviceError } from '../http/errors.ts';
import { exactRouter } from '../http/exact-router.ts';
import { asAttachment, type UploadedFile } from '../http/upload.ts';
import type { Account, Attachment, Customer } from '../state/model.ts';
import { judgedLater } from '../state/schemas.ts';
import { removeFiles, type World } from '../world/world.ts';

/** A malformed id is an unknown one (rule CUST-06). */
const ofCustomer = z.object({ id: judgedLater(z.uuid()) });

/** Section PUT /customers/{id}/logo. */
export const setCustomerLogo = serviceEndpoint({
	method: 'put',
	path: '/customers/{id}/logo',
	id: 'setCustomerLogo',
	summary: 'Set the logo of a customer: JPEG or PNG, at most 2 MB',
	isForResellers: true,
	params: ofCustomer,
	body: z.object({}),
	files: { field: 'logo', described: 'one' },
	answer: json(z.object({ logoUrl: z.url() })),
	errors: { 400: ['customer-logo-required'], 404: ['customer-not-found'] },
	async handle(world, { caller: { account }, params, files }) {
		const customer = findCustomer(world, account, params.id);
		const logo = readLogo(files);
		await setLogo(world, customer, logo);
		// Not the customer's, which another request may have changed meanwhile.
		return { logoUrl: `${world.host.url}${logoPath(customer, logo)}` };
	},
});

/** Section DELETE /customers/{id}/logo. */
export const deleteCustomerLogo = serviceEndpoint({
	method: 'delete',
	path: '/customers/{id}/logo',
	id: 'deleteCustomerLogo',
	summary: 'Remove the logo of a customer, if it has one',
	isForResellers: true,
	params: ofCustomer,
	answer: nothing,
	errors: { 404: ['customer-not-found'] },
	async handle(world, { caller: { account }, params }) {
		await setLogo(world, findCustomer(world, account, params.id), null);
		return undefined;
	},
});

/** The reseller's customer; another's is unknown (rule CUST-06). */
function findCustomer({ store }: World, account: Account, id: unknown): Customer {
	const customer = store.customers.get(String(id).toLowerCase());
	if (customer?.accountId !== account.id)
		throw serviceError(404, 'customer-not-found', 'There is no such customer');
	return customer;
}

/** The request's only logo (rules CUST-05 and CUST-06). */
function readLogo([logo, ...more]: UploadedFile[]): Attachment {
	if (!logo) throw serviceError(400, 'customer-logo-required', 'The field logo needs a file');
	if (more.length > 0)
		throw invalid({ field: 'logo', rule: 'maxLength', message: 'logo takes one file' });
	checkLogo(logo, 'logo');
	return asAttachment(logo);
}

const MAX_LOGO_BYTES = 2 * 1024 * 1024;

const FORMATS = [
	{
		contentType: 'image/png',
		magic: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
	},
	{ contentType: 'image/jpeg', magic: Buffer.from([0xff, 0xd8, 0xff]) },
];

/** Rule CUST-05: JPEG or PNG of at most 2 MB, by its first bytes. Records the detected type. */
export function checkLogo(file: Attachment, field: string): void {
	if (file.size > MAX_LOGO_BYTES)
		throw invalid({ field, rule: 'maxSize', message: `${field} may have 2 MB` });
	const start = firstBytes(file.path);
	const format = FORMATS.find(({ magic }) => start.subarray(0, magic.length).equals(magic));
	if (!format)
		throw invalid({ field, rule: 'mimes', message: `${field} must be a JPEG or PNG image` });
	file.contentType = format.contentType;
}

/** Without a wait, in which a reset could come between the check and what follows from it. */
function firstBytes(path: string): Buffer {
	const file = openSync(path, 'r');
	try {
		const buffer = Buffer.alloc(8);
		return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0));
	} finally {
		closeSync(file);
	}
}

/** Replaces the old logo; null only removes it (rule CUST-07). */
async function setLogo(world: World, customer: Customer, logo: Attachment | null): Promise<void> {
	const former = customer.logo;
	customer.logo = logo;
	if (former || logo) customer.updatedAt = world.clock.now();
	world.store.put('customers', customer);
	if (!former) return;
	// Otherwise a kill could leave a customer whose logo file is gone.
	world.commit();
	await removeFiles(world, [former]);
}

/** Public, since mail programs display logos. A new logo gets a new URL, so none goes stale. */
const logoPath = ({ id }: Customer, logo: Attachment) => `/logos/${id}/${logo.id}`;

export function logoDownloads(world: World): Router {
	const router = exactRouter();
	router.get('/logos/:id/:logo', (request, response, next) => {
		const logo = world.store.customers.get(request.params.id)?.logo;
		if (logo?.id !== request.params.logo) return next();
		response.set('Content-Type', logo.contentType).set('X-Content-Type-Options', 'nosniff');
		response.sendFile(basename(logo.path), { root: dirname(logo.path) }, (error) => {
			if (error && !response.headersSent) next(error);
		});
	});
	return router;
}
