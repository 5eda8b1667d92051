import { z } from 'zod/v4';
import { pageOf } from '../journal/page-of.ts';
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

interface Source<T> {
	/** Oldest first. */
	all: () => readonly T[];
	/** Position of the entry with this id, or where it would be. */
	positionOf: (id: string) => number;
	idOf: (entry: T) => string;
}

/** A page of matches, once there are enough or the time is over. */
export async function listed<T>(
	{ events }: Pick<World, 'events'>,
	{ all, positionOf, idOf }: Source<T>,
	matches: (entry: T) => boolean,
	{ limit, before, count, wait }: Asked,
	signal: AbortSignal,
): Promise<{ total: number; found: T[]; next: string | null }> {
	const isEnough = () => {
		let matching = 0;
		return all().some((entry) => matches(entry) && ++matching >= count);
	};
	if (wait > 0) await events.until(isEnough, wait, signal);
	const from = before === undefined ? {} : { before: positionOf(before) };
	const { total, found, hasOlder } = pageOf(all(), matches, { limit, ...from });
	const last = found.at(-1);
	return { total, found, next: hasOlder && last !== undefined ? idOf(last) : null };
}

/** Entries with numbers of their own. */
export const numbered = <T extends { id: number }>(kept: {
	first: number;
	all(): readonly T[];
}): Source<T> => ({
	all: () => kept.all(),
	positionOf: (id) => Number(id) - kept.first,
	idOf: ({ id }) => String(id),
});

/** Records of the service, in the order they were made. */
export const recorded = <T extends { id: string }>(all: () => readonly T[]): Source<T> => ({
	all,
	positionOf: (id) => all().findIndex((one) => one.id === id),
	idOf: ({ id }) => id,
});
