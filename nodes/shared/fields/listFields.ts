import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { readParameter } from './parameter';
import { readFlag, wholeNumber } from './reading';

const returnAllField = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
} satisfies INodeProperties;

const limitField = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
} satisfies INodeProperties;

/** How much of a list to return: n8n's usual two fields. */
export const listFields: INodeProperties[] = [returnAllField, limitField];

/** The limit of the item, or null for everything. */
export function readLimit(context: IExecuteFunctions, itemIndex: number): number | null {
	if (readParameter(context, itemIndex, returnAllField, readFlag)) return null;
	return readParameter(context, itemIndex, limitField, wholeNumber(1));
}
