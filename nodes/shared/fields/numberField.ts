import type { INodeProperties } from 'n8n-workflow';

import { aboveZero, field, wholeNumber, type Field } from './field';

type NumberProperty = Omit<INodeProperties, 'type' | 'typeOptions'>;

/** A field for a whole number, of which the editor allows what the reader accepts. */
export function wholeNumberField(
	property: NumberProperty,
	least: number,
	most?: number,
): Field<number> {
	return field(
		{
			...property,
			type: 'number',
			typeOptions: { minValue: least, maxValue: most, numberPrecision: 0 },
		},
		wholeNumber(least, most),
	);
}

/** Less than a second of a day. The editor can't exclude 0 itself. */
const SMALLEST = 0.00001;

/** A field for an amount above 0, such as half a day, of which the editor allows what the reader accepts. */
export function amountField(property: NumberProperty): Field<number> {
	return field({ ...property, type: 'number', typeOptions: { minValue: SMALLEST } }, (value) => {
		const reading = aboveZero(value);
		const isTooSmall = 'value' in reading && reading.value < SMALLEST;
		return isTooSmall
			? { problem: `It is ${reading.value}; the minimum is ${SMALLEST}.` }
			: reading;
	});
}
