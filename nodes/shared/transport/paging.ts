import type { IDataObject } from 'n8n-workflow';

import { PER_PAGE, readListPage } from '../../../webhook-receiver/src/core/list-page';
import { ServiceFailed } from './serviceError';

/** Gets one page; the paging parameters go into the query. */
type PageRequest = (paging: { page: number; perPage: number }) => Promise<unknown>;

/** How often to read a list until nothing is missing. */
const MAX_READINGS = 3;

/**
 * Reads a list page by page until the limit or its end, each entry once. The interface does not show the
 * paging parameters: this assumes `page` and `perPage`. An answer that does not follow them is an error,
 * since going on would loop, or pass a part off as the whole.
 *
 * @throws ServiceFailed also when something stays missing
 */
export async function readList(limit: number | null, request: PageRequest): Promise<IDataObject[]> {
	for (let count = 1; ; count++) {
		const { entries, gap } = await readOnce(limit ?? Infinity, request);
		if (gap === null) return entries;
		if (count === MAX_READINGS) throw listError(gap);
	}
}

/**
 * The list may change while it is read. New entries push others onto the next page, where they appear again:
 * each counts once, and new ones wait for the next reading. Removed entries pull others onto a page that was
 * read already: then the list has to be read again. So a list ends once it has as many entries as the
 * service said, and until then every page must bring something new.
 *
 * @returns `gap`: why something may be missing, or null
 */
async function readOnce(limit: number, request: PageRequest) {
	const perPage = Math.min(limit, PER_PAGE);
	const known = new Map<string, IDataObject>();
	const totals: number[] = [];
	let gap: string | null = null;
	let lastPage = Infinity;
	/** Entries of the pages before, repeated ones included. */
	let passed = 0;
	for (let page = 1; ; page++) {
		const { data, ...meta } = readPage(await request({ page, perPage }), page);
		if (meta.total < Number(totals.at(-1)))
			gap = 'Entries of the list disappeared while it was read.';
		totals.push(meta.total);
		// The new entries on top have reached this page, and would count for those they pushed on.
		if (meta.total - totals[0] > passed) gap = 'The list grew faster than it could be read.';
		passed += data.length;
		const before = known.size;
		for (const entry of data) known.set(nameOf(entry), entry);
		if (known.size === before && data.length > 0) {
			throw listError(
				`Page ${page} of the list returned nothing new: the service does not return the requested page.`,
			);
		}
		const entries = [...known.values()];
		if (known.size >= limit) return { entries: entries.slice(0, limit), gap: null };
		// The fewest entries, and pages, that the list ever had.
		const total = Math.min(...totals);
		lastPage = Math.min(lastPage, meta.lastPage);
		if (page >= lastPage && known.size >= total) return { entries, gap };
		// The last page, or one behind it: `readListPage` refuses an empty one before it.
		if (data.length === 0) {
			const missing = `The service reported ${total} entries in the list, but returned ${known.size}.`;
			return { entries, gap: missing };
		}
	}
}

/**
 * Reads the envelope of a list (interface, Pagination envelope).
 *
 * @throws ServiceFailed when it is not the page in the request
 */
export function readPage(answer: unknown, page: number) {
	const read = readListPage(answer, page);
	if ('problem' in read) throw listError(`${read.problem}.`);
	return { ...read.page, data: read.page.data as IDataObject[] };
}

function nameOf(entry: IDataObject): string {
	const { id } = entry;
	return typeof id === 'string' || typeof id === 'number' ? `id ${id}` : JSON.stringify(entry);
}

function listError(message: string): ServiceFailed {
	const description =
		'Reading stopped, because the list would be incomplete. Report the response of the service to the maintainers of this node.';
	return new ServiceFailed({ message, description, code: null, status: null });
}
