import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { isRecord } from './isRecord';
import { ListReading } from './listReading';
import { flagParameter, wholeNumberParameter } from './parameters';

/** Entries asked for at once. The service may give fewer a page. */
export const PER_PAGE = 100;

/** Gets one page; the paging parameters go into the query. */
export type PageRequest = (paging: { page: number; perPage: number }) => Promise<unknown>;

export interface Page {
	data: IDataObject[];
	/** Entries of the whole list. */
	total: number;
	lastPage: number;
}

/** Return All and Limit, as n8n's users know them. */
export function listFields(show: { operation: string[] }): INodeProperties[] {
	return [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
			displayOptions: { show },
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 50,
			description: 'Max number of results to return',
			displayOptions: { show: { ...show, returnAll: [false] } },
		},
	];
}

/** The limit of the item, or null for everything. */
export function readLimit(context: IExecuteFunctions, itemIndex: number): number | null {
	const returnAll = { name: 'returnAll', displayName: 'Return All' };
	if (flagParameter(context, itemIndex, returnAll, false)) return null;
	return wholeNumberParameter(context, itemIndex, { name: 'limit', displayName: 'Limit' }, 50);
}

/** How often a list is read until nothing is missing. */
const MOST_READINGS = 3;

/**
 * Reads a list page by page until the limit or its end, each entry once. The paging parameters are not
 * shown (design, section 9): `page` and `perPage` are assumed, and an answer that does not follow them
 * is an error, since going on would loop, or pass a part off as the whole.
 */
export async function readList(
	context: Pick<IExecuteFunctions, 'getNode'>,
	limit: number | null,
	request: PageRequest,
): Promise<IDataObject[]> {
	const perPage = Math.min(limit ?? PER_PAGE, PER_PAGE);
	let gap: string | null = null;
	for (let count = 1; count <= MOST_READINGS; count++) {
		const reading = new ListReading(limit);
		while (!reading.isDone) {
			const { page } = reading;
			const problem = reading.add(checkedPage(context, await request({ page, perPage }), page));
			if (problem !== null) throw listError(context, problem);
		}
		({ gap } = reading);
		if (gap === null) return reading.entries;
	}
	throw listError(context, gap ?? '');
}

/**
 * Reads the envelope of a list (interface, Pagination envelope).
 *
 * @throws NodeOperationError when it is not the page that was asked for.
 */
export function checkedPage(
	context: Pick<IExecuteFunctions, 'getNode'>,
	answer: unknown,
	page: number,
): Page {
	const result = readPage(answer, page);
	if ('problem' in result) throw listError(context, result.problem);
	return result;
}

/** The error for a list that cannot be read as a whole. */
export function listError(
	context: Pick<IExecuteFunctions, 'getNode'>,
	problem: string,
): NodeOperationError {
	return new NodeOperationError(context.getNode(), problem, {
		description:
			'The list was given up, since it could not be read as a whole. Tell the maintainers of this node what the service answers.',
	});
}

export function readPage(answer: unknown, page: number): Page | { problem: string } {
	const { data, meta } = isRecord(answer) ? answer : {};
	if (!Array.isArray(data) || !isRecord(meta) || !data.every(isRecord)) {
		return { problem: 'The service did not answer with a list of the form {data, meta}.' };
	}
	const [currentPage, lastPage, total] = [meta.currentPage, meta.lastPage, meta.total].map(integer);
	if (currentPage !== page) {
		return {
			problem: `The service gave page ${String(meta.currentPage)} of the list when asked for page ${page}.`,
		};
	}
	if (lastPage === null || total === null) {
		return { problem: 'The service did not say how many pages and entries the list has.' };
	}
	if (data.length === 0 && page < lastPage) {
		return { problem: `Page ${page} of the list is empty, though it has ${lastPage} pages.` };
	}
	return { data: data as IDataObject[], total, lastPage };
}

// Counts of a database often come as text. Number(null) would be a 0 that nobody gave.
function integer(value: unknown): number | null {
	const isGiven = typeof value === 'number' || (typeof value === 'string' && value !== '');
	const count = isGiven ? Number(value) : NaN;
	return Number.isSafeInteger(count) && count >= 0 ? count : null;
}
