import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** Entries asked for at once. The service may give fewer a page: what counts is its `lastPage`. */
export const PER_PAGE = 100;

/** Gets one page; the paging parameters go into the query. */
export type PageRequest = (paging: { page: number; perPage: number }) => Promise<unknown>;

export interface Page {
	data: IDataObject[];
	isLast: boolean;
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
	if (context.getNodeParameter('returnAll', itemIndex, false)) return null;
	return Math.max(1, Math.trunc(Number(context.getNodeParameter('limit', itemIndex, 50)) || 1));
}

/**
 * Reads a list page by page until the limit or its end. The paging parameters are not shown (design,
 * section 9): `page` and `perPage` are assumed, and an answer that does not follow them is an error,
 * since going on would loop, or pass a part off as the whole.
 */
export async function readList(
	context: Pick<IExecuteFunctions, 'getNode'>,
	limit: number | null,
	request: PageRequest,
): Promise<IDataObject[]> {
	const entries: IDataObject[] = [];
	const perPage = Math.min(limit ?? PER_PAGE, PER_PAGE);
	for (let page = 1; ; page++) {
		const { data, isLast } = checkedPage(context, await request({ page, perPage }), page);
		entries.push(...data);
		if (limit !== null && entries.length >= limit) return entries.slice(0, limit);
		if (isLast) return entries;
	}
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
	if ('problem' in result) {
		throw new NodeOperationError(context.getNode(), result.problem, {
			description:
				'The list was given up, since it could not be read as a whole. Tell the maintainers of this node what the service answers.',
		});
	}
	return result;
}

export function readPage(answer: unknown, page: number): Page | { problem: string } {
	const { data, meta } = (answer ?? {}) as { data?: unknown; meta?: Record<string, unknown> };
	if (!Array.isArray(data)) {
		return { problem: 'The service did not answer with a list of the form {data, meta}.' };
	}
	const currentPage = integer(meta?.currentPage);
	const lastPage = integer(meta?.lastPage);
	if (currentPage !== page) {
		return {
			problem: `The service gave page ${String(meta?.currentPage)} of the list when asked for page ${page}.`,
		};
	}
	if (lastPage === null) {
		return { problem: 'The service did not say how many pages the list has.' };
	}
	const isLast = page >= lastPage;
	if (data.length === 0 && !isLast) {
		return { problem: `Page ${page} of the list is empty, though it has ${lastPage} pages.` };
	}
	return { data: data as IDataObject[], isLast };
}

// Counts of a database often come as text. Number(null) would be a 0 that nobody gave.
function integer(value: unknown): number | null {
	const isGiven = typeof value === 'number' || (typeof value === 'string' && value !== '');
	return isGiven && Number.isInteger(Number(value)) ? Number(value) : null;
}
