import { Router } from 'express';
import { z } from 'zod/v4';
import { LETTER_OUTCOMES } from '../../core/letter-contract.ts';
import { checkMessageId, readQuery, sliceSchema } from '../../http/routes.ts';
import { recordsIn } from '../../log/record-rows.ts';
import { iso } from '../../time/iso.ts';
import type { Capability, Kernel } from '../../capability.ts';
import { lettersIn } from './book.ts';

/** The book of letters, for people and workflows to search. */
export const letters: Capability = {
	name: 'letters',
	start: (kernel) => ({
		routes: letterRoutes(kernel),
		roles: [
			['n8n', 'get', '/letters'],
			['n8n', 'get', '/letters/summary'],
		],
	}),
};

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
const pageSchema = filterSchema.extend({
	limit: sliceSchema.shape.limit,
	/** The place of the last letter of the page before. */
	before: z
		.string()
		.regex(/^\d{1,15}-\d{1,15}$/, 'is not the `next` of a page')
		.transform((place) => {
			const [beganAt, id] = place.split('-').map(Number) as [number, number];
			return { beganAt, id };
		})
		.nullable()
		.default(null),
});

/** `/letters`: the book of letters, to search and to count; and what is known of one beside its events. */
function letterRoutes({ database, clock }: Kernel): Router {
	const router = Router();
	const book = lettersIn(database);
	const records = recordsIn(database);
	router.param('messageId', checkMessageId);

	router.get('/letters', async (request, response) => {
		const page = await book.list(readQuery(request, pageSchema), clock.now());
		const next = page.next && `${page.next.beganAt}-${page.next.id}`;
		response.json({ data: page.letters, next });
	});

	router.get('/letters/summary', async (request, response) => {
		const filter = readQuery(request, filterSchema);
		response.json(await book.summary(filter, clock.now()));
	});

	router.get('/letters/:messageId', async (request, response) => {
		const { messageId } = request.params;
		const { record, watch, erasedUntil } = await records.get(messageId);
		response.json({
			messageId,
			letter: await book.get(messageId, clock.now()),
			watch,
			changes: (record?.changes ?? []).map(({ eventId, type, at, mark }) => ({
				eventId,
				type,
				at: iso(at),
				hasWebhook: mark !== null,
			})),
			erasedUntil: iso(erasedUntil),
		});
	});

	return router;
}
