import express, { Router } from 'express';
import type { Request } from 'express';
import { z } from 'zod/v4';
import {
	CLAIM_STATES,
	claimChangeSchema,
	claimKeySchema,
	claimsSchema,
} from '../claim/claim-contract.ts';
import type { Clock } from '../clock.ts';
import { HttpError } from '../http-error.ts';
import type { Store } from '../store/store.ts';
import { nextPage, pageSchema, readQuery } from './listing.ts';
import { readBodyAs } from './read-body-as.ts';

export interface ClaimParts {
	store: Store;
	clock: Clock;
}

/** A thousand answers of 8 KB; with larger ones it takes several requests. */
const LARGEST_BODY = '8mb';

const claimPageSchema = pageSchema.extend({
	state: z.enum(CLAIM_STATES).nullable().default(null),
	name: z.string().nullable().default(null),
});

/** `/claims`: who sends under a Send Once Key, and what came of it (design § 5). */
export function claimRoutes({ store, clock }: ClaimParts): Router {
	const router = Router();
	const readJson = express.json({ limit: LARGEST_BODY });

	router.put('/', readJson, async (request, response) => {
		const { claims } = readBodyAs(claimsSchema, request.body, 'claim');
		response.json({ claims: await store.claims.change(claims, clock.now()) });
	});

	router.put('/:key', readJson, async (request, response) => {
		const { key } = readBodyAs(z.object({ key: claimKeySchema }), request.params, 'claim');
		const change = readBodyAs(claimChangeSchema, request.body, 'claim');
		const [claim] = await store.claims.change([{ key, ...change }], clock.now());
		response.json(claim);
	});

	router.get('/', async (request, response) => {
		const page = readQuery(request, claimPageSchema);
		const rows = await store.claims.list(page, clock.now());
		response.json({ data: rows.map(({ claim }) => claim), next: nextPage(rows.at(-1)?.id) });
	});

	router.get('/:key', async (request, response) => {
		const claim = await store.claims.get(readKey(request), clock.now());
		if (claim === null) throw notFound();
		response.json(claim);
	});

	/** 204 also when there was none: what matters is that it is free. */
	router.delete('/:key', async (request, response) => {
		await store.claims.remove(readKey(request));
		response.status(204).end();
	});

	return router;
}

function readKey(request: Request): string {
	const key = claimKeySchema.safeParse(request.params.key);
	if (!key.success) throw notFound();
	return key.data;
}

function notFound(): HttpError {
	return new HttpError(404, 'claim-not-found', 'Nothing is known of this key.');
}
