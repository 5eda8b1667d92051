import { z } from 'zod/v4';

const DEFAULT_PER_PAGE = 20;
const MAX_PER_PAGE = 100;

/** Design, open points: the parameters are not shown; `page` and `perPage` are assumed. */
export const pagingSchema = z.object({
	page: z.coerce.number().int().min(1).default(1),
	perPage: z.coerce.number().int().min(1).max(MAX_PER_PAGE).default(DEFAULT_PER_PAGE),
});

const count = z.number().int().min(0);

/** The pagination envelope (section Pagination envelope). */
export const pageOf = <S extends z.ZodType>(item: S) =>
	z.object({
		data: z.array(item),
		meta: z.object({
			total: count,
			perPage: count,
			currentPage: count,
			lastPage: count,
			firstPage: count,
		}),
	});

export function paged<T>(items: T[], { page, perPage }: z.output<typeof pagingSchema>) {
	const total = items.length;
	const lastPage = Math.max(1, Math.ceil(total / perPage));
	const data = items.slice((page - 1) * perPage, page * perPage);
	return { data, meta: { total, perPage, currentPage: page, lastPage, firstPage: 1 } };
}
