import { z } from 'zod/v4';
import { pageOf, type PageOf } from '../journal/page-of.ts';
import type { World } from '../world/world.ts';

const MAX_LIMIT = 1000;
const MAX_WAIT_SECONDS = 60;

/** Query parameters of every list. */
export const listingQuery = {
	limit: z.coerce
		.number<number>()
		.int()
		.min(0)
		.max(MAX_LIMIT)
		.default(100)
		.describe('How many, the newest first; 0 only counts'),
	before: z.string().optional().describe('`next` of the page before'),
	count: z.coerce
		.number<number>()
		.int()
		.min(1)
		.default(1)
		.describe('How many must match for `wait` to end early'),
	wait: z.coerce
		.number<number>()
		.min(0)
		.max(MAX_WAIT_SECONDS)
		.default(0)
		.describe('Seconds to wait for as many as `count`; what is there then is the answer'),
};

/** Members of every list's answer, beside its entries. */
export const listingAnswer = {
	/** Number of all that match. */
	total: z.number().int(),
	/** `before` of the next page, or null if this was the last. */
	next: z.string().nullable(),
};

interface Asked {
	limit: number;
	before?: string | undefined;
	count: number;
	wait: number;
}

/**
 * A page of matches, once there are enough or the time is over.
 *
 * @param all oldest first
 */
export async function listed<T extends { id: string | number }>(
	{ news }: Pick<World, 'news'>,
	all: () => readonly T[],
	matches: (entry: T) => boolean,
	{ count, wait, ...page }: Asked,
	signal: AbortSignal,
): Promise<PageOf<T>> {
	const isEnough = () => {
		let matching = 0;
		return all().some((entry) => matches(entry) && ++matching >= count);
	};
	if (wait > 0) await news.until(isEnough, wait, signal);
	return pageOf(all(), matches, page);
}
