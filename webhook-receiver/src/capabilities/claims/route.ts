import express, { Router } from 'express';
import { z } from 'zod/v4';
import {
	CLAIM_STATES,
	claimChangeSchema,
	claimKeySchema,
	claimSentSchema,
	claimsSchema,
} from '../../core/claim-contract.ts';
import type { ClaimChange } from '../../core/claim-contract.ts';
import { HttpError } from '../../core/http-error.ts';
import type { Kernel } from '../../capability.ts';
import type { Claims } from './claim-store.ts';
import { foundOr404, sliceSchema, sliced, readBodyAs, readQuery } from '../../http/routes.ts';

/** A thousand answers of 8 KB; larger ones take several requests. */
const LARGEST_BODY = '8mb';

const paramsSchema = z.object({ key: claimKeySchema });
const claimSliceSchema = sliceSchema.extend({
	state: z.enum(CLAIM_STATES).nullable().default(null),
	name: z.string().nullable().default(null),
	letters: z.literal('none').nullable().default(null),
});

/** `/claims`: who may send under a Send Once Key, and the result. */
export function claimRoutes(kernel: Kernel, claims: Claims): Router {
	const { database, config, clock } = kernel;
	const router = Router();
	const readJson = express.json({ limit: LARGEST_BODY });

	router.put('/claims', readJson, async (request, response) => {
		const { claims: changes } = readBodyAs(claimsSchema, request.body, 'claim');
		assertOwnService(changes, config.SERVICE_URL);
		response.json({ claims: await claims.change(changes, clock.now()) });
	});

	router.put('/claims/:key', readJson, async (request, response) => {
		const { key } = readBodyAs(paramsSchema, request.params, 'claim');
		const change = readBodyAs(claimChangeSchema, request.body, 'claim');
		assertOwnService([change], config.SERVICE_URL);
		const [claim] = await claims.change([{ key, ...change }], clock.now());
		response.json(claim);
	});

	router.get('/claims', async (request, response) => {
		const slice = readQuery(request, claimSliceSchema);
		const read = (part: typeof slice) => claims.list(part, clock.now());
		const { data, next } = await sliced(slice, 'before', read, ({ id }) => id);
		response.json({ data: data.map(({ claim }) => claim), next });
	});

	router.get('/claims/:key', async (request, response) => {
		const key = readKey(request.params);
		response.json(orNotFound(await claims.get(key, clock.now())));
	});

	router.post('/claims/:key/sent', readJson, async (request, response) => {
		const key = readKey(request.params);
		const { messageIds } = readBodyAs(claimSentSchema, request.body, 'claim');
		response.json(orNotFound(await claims.settle(key, messageIds, clock.now())));
	});

	router.delete('/claims/:key/names', async (request, response) => {
		const key = readKey(request.params);
		const claim = orNotFound(await claims.eraseNames(key, clock.now()));
		await database.scrub();
		kernel.wake();
		response.json(claim);
	});

	/** 204 even if there was none: what matters is that it is free. */
	router.delete('/claims/:key', async (request, response) => {
		await claims.remove(readKey(request.params), clock.now());
		response.status(204).end();
	});

	return router;
}

/**
 * One receiver, one service: the ids of letters at two of them would meet.
 *
 * @throws HttpError 409 `another-service`
 */
function assertOwnService(changes: readonly ClaimChange[], url: string | null): void {
	if (url === null) return;
	const own = new URL(url).origin;
	for (const change of changes) {
		const service = 'letter' in change ? change.letter?.service : undefined;
		if (service === undefined || (URL.canParse(service) && new URL(service).origin === own))
			continue;
		const message = `This receiver is for the delivery service at ${own} (SERVICE_URL), and the letter goes to ${service}. Choose a receiver of that service in the credential.`;
		throw new HttpError(409, 'another-service', message);
	}
}

/** Nothing is known about an invalid key, hence 404. */
function readKey(params: { key: string }): string {
	return orNotFound(claimKeySchema.safeParse(params.key).data ?? null);
}

function orNotFound<T>(claim: T | null): T {
	return foundOr404(claim, 'claim-not-found', 'Nothing is known of this key.');
}
