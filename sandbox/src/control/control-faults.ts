import { Router } from 'express';
import { z } from 'zod/v4';
import { checked } from '../http/field-errors.ts';
import { ruleSchema } from '../http/faults.ts';
import { deliveryLedger } from '../messages/ledger.ts';
import type { World } from '../world/world.ts';

const MAX_RULES = 1000;
const faultsSchema = z.strictObject({ faults: z.array(ruleSchema).min(1).max(MAX_RULES) });

/** Control API: injected faults, and what the service really did, to compare with its client. */
export function faultControls({ faults, store }: World): Router {
	const router = Router();
	router.get('/faults', (_request, response) => void response.json({ faults: faults.list() }));
	router.post('/faults', (request, response) => {
		const rules = checked(faultsSchema, request.body).faults;
		const ids = new Set(rules.map((rule) => faults.add(rule)));
		response.status(201).json({ faults: faults.list().filter(({ id }) => ids.has(id)) });
	});
	router.delete('/faults', (_request, response) => {
		faults.clear();
		response.json({ faults: [] });
	});
	router.get('/ledger', (_request, response) => {
		response.json({ letters: deliveryLedger([...store.messages.values()]) });
	});
	return router;
}
