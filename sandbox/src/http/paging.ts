import { z } from 'zod/v4';
import { checked } from './field-errors.ts';

const DEFAULT_PER_PAGE = 20;
const MAX_PER_PAGE = 100;

/** Design, open points: the parameters are not shown; `page` and `perPage` are assumed. */
export const pagingSchema = z.object({
	page: z.coerce.number().int().min(1).default(1),
	perPage: z.coerce.number().int().min(1).max(MAX_PER_PAGE).default(DEFAULT_PER_PAGE),
});

/** The pagination envelope (section Pagination envelope). */
export function paged<T>(items: T[], query: unknown) {
	const { page, perPage } = checked(pagingSchema, query);
	const total = items.length;
	const lastPage = Math.max(1, Math.ceil(total / perPage));
	const data = items.slice((page - 1) * perPage, page * perPage);
	return { data, meta: { total, perPage, currentPage: page, lastPage, firstPage: 1 } };
}
