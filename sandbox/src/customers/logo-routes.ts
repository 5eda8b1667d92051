import { basename, dirname } from 'node:path';
import type { Router, Request, Response } from 'express';
import { z } from 'zod/v4';
import { exactRouter } from '../http/exact-router.ts';
import { findCustomer, requireReseller } from './routes.ts';
import { customerLogoRequired, ServiceError } from '../http/errors.ts';
import { readLogo } from './logos.ts';
import type { Attachment, Customer } from '../state/model.ts';
import { readBody } from '../http/request-body.ts';
import { requireSameWorld } from '../http/same-world.ts';
import { discard, type UploadedFile } from '../http/upload.ts';
import { removeFiles, type World } from '../world/world.ts';

/** Customer logos (sections PUT and DELETE /customers/{id}/logo). */
export function logoRoutes(world: World): Router {
	const router = exactRouter();
	router.put('/customers/:id/logo', async (request, response) => {
		const { account } = requireReseller(response);
		// Read first: who still uploads as the connection closes can lose the answer.
		const files = await readFiles(world, request, response);
		const { customer, logo } = await accepted(world, response, files, () =>
			findCustomer(world, request, account),
		);
		await setLogo(world, customer, logo);
		// Not the customer's, which another request may have changed meanwhile.
		response.json({ logoUrl: `${world.serviceUrl}${logoPath(customer, logo)}` });
	});
	router.delete('/customers/:id/logo', async (request, response) => {
		const { account } = requireReseller(response);
		await setLogo(world, findCustomer(world, request, account), null);
		response.status(204).end();
	});
	return router;
}

/** Rule CUST-06: a body that is not a form has no file either. */
async function readFiles(world: World, request: Request, response: Response) {
	try {
		const shape = { members: z.unknown(), fileField: /^/, jsonFields: [], optional: true };
		return (await readBody(world, request, response, shape)).files;
	} catch (error) {
		if (error instanceof ServiceError && error.status === 415) throw customerLogoRequired();
		throw error;
	}
}

async function accepted(
	world: World,
	response: Response,
	files: UploadedFile[],
	find: () => Customer,
) {
	try {
		const customer = find();
		const logo = await readLogo(files);
		requireSameWorld(world, response);
		return { customer, logo };
	} catch (error) {
		await discard(files);
		throw error;
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
