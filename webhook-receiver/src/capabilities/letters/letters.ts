import { Router } from 'express';
import { z } from 'zod/v4';
import { LETTER_OUTCOMES } from '../../core/letter-contract.ts';
import { checkMessageId, readQuery, sliceSchema } from '../../http/routes.ts';
import { isErased, readRecord, recordIn, watchView } from '../../log/record-rows.ts';
import { iso } from '../../time/iso.ts';
import type { Capability, Kernel } from '../../capability.ts';
import { BOOK_INDEXES, lettersIn } from './book.ts';
import { COUNTS_TABLE, cleanCounts, countLetters } from './counts.ts';

/** The book of letters, for people and workflows to search. */
export const letters: Capability = {
	name: 'letters',
	steps: [BOOK_INDEXES + COUNTS_TABLE],
	start: (kernel) => ({
		routes: letterRoutes(kernel),
		changed: countLetters,
		clean: cleanCounts,
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
		const row = await readRecord(database, messageId);
		response.json({
			messageId,
			letter: await book.get(messageId, clock.now()),
			watch: watchView(row),
			changes: (recordIn(row)?.changes ?? []).map(({ eventId, type, at, mark }) => ({
				eventId,
				type,
				at: iso(at),
				hasWebhook: mark !== null,
			})),
			/** Until when nothing is stored of it. */
			erasedUntil: isErased(row) ? iso(row.expires_at) : null,
		});
	});

	return router;
}
