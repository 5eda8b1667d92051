import { Router } from 'express';
import { z } from 'zod/v4';
import { LETTER_OUTCOMES } from '../core/letter-contract.ts';
import { readQuery, sliceSchema, sliced } from '../http/routes.ts';
import type { Clock } from '../time/clock.ts';
import type { Letters } from './letters.ts';

export interface LetterParts {
	store: { letters: Letters };
	clock: Clock;
}

const text = z.string().min(1).max(500).nullable().default(null);
const time = z.iso
	.datetime({ offset: true, error: 'is not a time such as 2026-01-31T09:30:00Z' })
	.transform((value) => Date.parse(value))
	.nullable()
	.default(null);
const upper = text.transform((value) => value?.toUpperCase() ?? null);

const filterSchema = z
	.object({
		recipient: text,
		reference: text,
		fileReference: text,
		customerReference: text,
		status: upper,
		outcome: z.enum(LETTER_OUTCOMES).nullable().default(null),
		workflow: text,
		since: time,
		until: time,
	})
	.strict();
const filteredSliceSchema = filterSchema.extend(sliceSchema.shape);

/** `/letters`: the book of letters, to search and to count. */
export function letterRoutes({ store, clock }: LetterParts): Router {
	const router = Router();

	router.get('/', async (request, response) => {
		const slice = readQuery(request, filteredSliceSchema);
		const read = (part: typeof slice) => store.letters.list(part, clock.now());
		const { data, next } = await sliced(slice, 'before', read, ({ id }) => id);
		response.json({ data: data.map(({ letter }) => letter), next });
	});

	router.get('/summary', async (request, response) => {
		const filter = readQuery(request, filterSchema);
		response.json(await store.letters.summary(filter, clock.now()));
	});

	return router;
}
