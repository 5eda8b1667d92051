import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { field, readField, readFlag } from './field';
import { wholeNumberField } from './numberField';

const returnAllField = field(
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	readFlag,
);

const limitField = wholeNumberField(
	{
		displayName: 'Limit',
		name: 'limit',
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
	1,
);

/** How much of a list to return: n8n's usual two fields. */
export const listFields: INodeProperties[] = [returnAllField, limitField];

/** The limit of the item, or null for everything. */
export function readLimit(context: IExecuteFunctions, itemIndex: number): number | null {
	if (readField(context, itemIndex, returnAllField)) return null;
	return readField(context, itemIndex, limitField);
}
