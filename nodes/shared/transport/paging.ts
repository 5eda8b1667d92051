import type { IDataObject } from 'n8n-workflow';

import { PER_PAGE, readListPage } from '../../../webhook-receiver/src/core/list-page';
import { ListReading, type Page } from './listReading';
import { ServiceFailed } from './serviceError';

/** Gets one page; the paging parameters go into the query. */
export type PageRequest = (paging: { page: number; perPage: number }) => Promise<unknown>;

/** How often to read a list until nothing is missing. */
const MAX_READINGS = 3;

/**
 * Reads a list page by page until the limit or its end, each entry once. The interface does not show the
 * paging parameters: this assumes `page` and `perPage`. An answer that does not follow
 * them is an error, since going on would loop, or pass a part off as the whole.
 */
export async function readList(limit: number | null, request: PageRequest): Promise<IDataObject[]> {
	const perPage = Math.min(limit ?? PER_PAGE, PER_PAGE);
	for (let count = 1; ; count++) {
		const reading = new ListReading(limit);
		while (!reading.isDone) {
			const { page } = reading;
			const isFresh = reading.add(readPage(await request({ page, perPage }), page));
			if (!isFresh) {
				throw listError(
					`Page ${page} of the list returned nothing new: the service does not return the requested page.`,
				);
			}
		}
		if (reading.gap === null) return reading.entries;
		if (count === MAX_READINGS) throw listError(reading.gap);
	}
}

/**
 * Reads the envelope of a list (interface, Pagination envelope).
 *
 * @throws ServiceFailed when it is not the page in the request
 */
export function readPage(answer: unknown, page: number): Page {
	const read = readListPage(answer, page);
	if ('problem' in read) throw listError(`${read.problem}.`);
	return read.page as Page;
}

function listError(message: string): ServiceFailed {
	const description =
		'Reading stopped, because the list would be incomplete. Report the response of the service to the maintainers of this node.';
	return new ServiceFailed({ message, description, code: null, status: null });
}
