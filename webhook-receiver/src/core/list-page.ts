import { isRecord } from './is-record.ts';

/** Most entries in one request; the service may give fewer a page. */
export const PER_PAGE = 100;

/** One page of a list. */
export interface ListPage {
	data: Array<Record<string, unknown>>;
	/** Entries of the whole list. */
	total: number;
	lastPage: number;
}

/**
 * Reads the envelope of a list (interface, Pagination envelope). The interface does not show the
 * paging parameters: we assume `page` and `perPage`, so an answer that ignores
 * them is an error.
 *
 * @returns the page, or what is wrong, without a full stop
 */
export function readListPage(
	answer: unknown,
	page: number,
): { page: ListPage } | { problem: string } {
	const { data, meta } = isRecord(answer) ? answer : {};
	if (!Array.isArray(data) || !isRecord(meta) || !data.every(isRecord)) {
		return { problem: 'The service did not answer with a list of the form {data, meta}' };
	}
	const { currentPage, lastPage, total } = meta;
	if (currentPage !== page) {
		const problem = `The service returned page ${String(currentPage)} of the list instead of page ${page}`;
		return { problem };
	}
	if (!isCount(lastPage) || !isCount(total)) {
		return { problem: 'The service did not say how many pages and entries the list has' };
	}
	if (data.length === 0 && page < lastPage) {
		return { problem: `Page ${page} of the list is empty, though it has ${lastPage} pages` };
	}
	return { page: { data, total, lastPage } };
}

function isCount(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0;
}
