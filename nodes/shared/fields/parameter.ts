import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { invalidItem } from '../items/invalidItem';
import type { Reader } from './reading';

type Field = Pick<INodeProperties, 'name' | 'displayName' | 'default'>;

/**
 * Reads what an item has in a field.
 *
 * n8n applies the default only if the user never filled in the field. An expression that evaluates to
 * undefined stays undefined (tested in n8n 2.41), so the reader can reject it.
 *
 * @throws InvalidItem when the reader finds a problem
 */
export function readParameter<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	field: Field,
	reader: Reader<T>,
): T {
	const reading = reader(context.getNodeParameter(field.name, itemIndex, field.default));
	if ('value' in reading) return reading.value;
	throw invalidItem(field.displayName, reading.problem);
}
