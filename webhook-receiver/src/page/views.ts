import type { Request } from 'express';
import { z } from 'zod/v4';
import type { DeliveryEvent } from '../core/event-contract.ts';
import { HttpError } from '../core/http-error.ts';
import { readQuery } from '../http/listing.ts';
import { BATCH_STATES } from '../pull/consumer-store.ts';
import { attentionPage } from './attention.ts';
import { deliveriesPage } from './deliveries.ts';
import { eventsPage } from './events.ts';
import type { Html } from './html.ts';
import { messagePage, searchPage } from './message.ts';
import { overview, workflowsPage } from './overview.ts';
import { partOf } from './parts.ts';
import type { Frame, Part } from './parts.ts';
import type { PageParts } from './page-parts.ts';
import { workflowPage } from './workflows.ts';

type View = (request: Request, frame: Frame) => Promise<Html>;

const SPAN_MS = 30 * 60_000;
const SPANS = 48;

/** Rows of a page. */
const ROWS = 25;
/** Of each kind on the first page, and of what is dead on a workflow's. */
const FEW = 10;
/** Of each kind of one message; only a sender that repeats itself makes more. */
const MOST_OF_MESSAGE = 200;

const place = z.coerce.number().int().positive().nullable().catch(null).default(null);
const placeSchema = z.object({ before: place, after: place });
const stateSchema = z.enum(BATCH_STATES).nullable().catch(null).default(null);

/** The pages by path. Every list is read by an index, however long it is. */
export function viewRoutes({ store, clock, watcher }: PageParts): Array<[string, View]> {
	const namesOf = async (now: number) => {
		const consumers = await store.consumers.list(now);
		return new Map(consumers.map((one) => [one.key, one]));
	};

	const first: View = async (_request, frame) => {
		const activityFrom = clock.now() - SPANS * SPAN_MS;
		const [consumers, troubles, activity, events, figures] = await Promise.all([
			store.consumers.list(frame.now),
			store.attention.open(),
			store.activity(activityFrom, SPAN_MS),
			store.events({ limit: FEW, before: null }),
			store.watching.figures(),
		]);
		const chart = { activity, activityFrom, spanMs: SPAN_MS, spans: SPANS };
		const watching = watcher && figures;
		return overview({ consumers, troubles, events, watching, ...chart }, frame);
	};

	const workflows: View = async (_request, frame) =>
		workflowsPage(await store.consumers.list(frame.now), frame);

	const workflow: View = async (request, frame) => {
		const key = String(request.params.key);
		const { after } = readQuery(request, placeSchema);
		const consumer = (await namesOf(frame.now)).get(key);
		if (consumer === undefined) throw gone('workflow');
		const of = { consumer: key, after: after ?? 0 };
		const [open, dead] = await Promise.all([
			store.consumers.batches({ ...of, state: 'open', limit: ROWS + 1 }),
			store.consumers.batches({ ...of, after: 0, state: 'dead', limit: FEW }),
		]);
		const part = partOf(open, ROWS, ({ number }) => number);
		return workflowPage({ consumer, open: part, after: of.after, dead }, frame);
	};

	const events: View = async (request, frame) => {
		const { before } = readQuery(request, placeSchema);
		const part = await partOfEvents(ROWS, before, (limit, place) =>
			store.events({ limit, before: place }),
		);
		return eventsPage(part, before === null, frame);
	};

	const deliveries: View = async (request, frame) => {
		const state = stateSchema.parse(request.query.state);
		const { before, after } = readQuery(request, placeSchema);
		const limit = ROWS + 1;
		const from = state === 'dead' ? { after: after ?? 0 } : { before };
		const [names, found] = await Promise.all([
			namesOf(frame.now),
			store.consumers.batches({ state, limit, ...from }),
		]);
		const part = partOf(found, ROWS, ({ number }) => number);
		return deliveriesPage({ part, state, isFirst: (before ?? after) === null, names }, frame);
	};

	const attention: View = async (request, frame) => {
		const { before } = readQuery(request, placeSchema);
		const [open, found] = await Promise.all([
			store.attention.open(),
			store.attention.over({ limit: ROWS + 1, before }),
		]);
		const over = partOf(found, ROWS, ({ id }) => id);
		return attentionPage({ open, over, isFirst: before === null }, frame);
	};

	const message = async (messageId: string, frame: Frame, from: z.infer<typeof placeSchema>) => {
		const limit = MOST_OF_MESSAGE;
		const { before } = from;
		const [events, watch, record, letter, names] = await Promise.all([
			partOfEvents(limit, from.after ?? 0, (most, place) => store.eventsOf(messageId, most, place)),
			store.watching.get(messageId),
			store.watching.record(messageId),
			store.letter(messageId, { limit: limit + 1, before }),
			namesOf(frame.now),
		]);
		const changes = record?.changes ?? [];
		const deliveries = partOf(letter.deliveries, limit, ({ number }) => number);
		const all = { messageId, events, watch, changes, ...letter, deliveries, from, names, limit };
		return messagePage(all, frame);
	};

	return [
		['/', first],
		['/page/workflows', workflows],
		['/page/workflows/:key', workflow],
		['/page/events', events],
		['/page/deliveries', deliveries],
		['/page/attention', attention],
		[
			'/messages/:id',
			async (request, frame) => {
				const id = readMessageId(request.params.id);
				if (id !== request.params.id) throw gone('message');
				return message(id, frame, readQuery(request, placeSchema));
			},
		],
		[
			'/page/search',
			async (request, frame) => {
				const id = readMessageId(request.query.message);
				if (id === null) return searchPage(frame);
				return message(id, { ...frame, here: `/messages/${id}` }, { before: null, after: null });
			},
		],
	];
}

/** Large events fill a page before its rows do. */
async function partOfEvents<Place extends number | null>(
	rows: number,
	place: Place,
	read: (limit: number, place: Place | number) => Promise<DeliveryEvent[]>,
): Promise<Part<DeliveryEvent>> {
	const found = await read(rows + 1, place);
	const part = partOf(found, rows, ({ sequence }) => sequence);
	const last = part.next === null ? found.at(-1) : undefined;
	if (last === undefined) return part;
	const isMore = (await read(1, last.sequence)).length > 0;
	return { rows: part.rows, next: isMore ? last.sequence : null };
}

/** Accepts spaces and missing leading zeros, as people type or paste it. */
function readMessageId(typed: unknown): string | null {
	const digits = typeof typed === 'string' ? typed.replace(/\s/g, '') : '';
	return /^\d{1,12}$/.test(digits) ? digits.padStart(12, '0') : null;
}

function gone(what: string): HttpError {
	return new HttpError(404, 'not-found', `There is no such ${what} here.`);
}
