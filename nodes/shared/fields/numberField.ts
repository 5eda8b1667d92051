import type { INodeProperties } from 'n8n-workflow';

import { shown } from './describeValue';
import { field, type Field, type Reading } from './field';

type NumberProperty = Omit<INodeProperties, 'type' | 'typeOptions'>;

/**
 * A field for a whole number, or a text that is one, of which the editor allows what is read. An empty value
 * must not pass for a default.
 */
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
		(value): Reading<number> => {
			const number = typeof value === 'string' && value.trim() === '' ? NaN : numberOf(value);
			if (!Number.isSafeInteger(number) || number < least) {
				return {
					problem: `It is ${shown(value)}; a whole number of ${least} or more is required.`,
				};
			}
			if (most === undefined || number <= most) return { value: number };
			return { problem: `It is ${number}; the maximum is ${most}.` };
		},
	);
}

/** Less than a second of a day. The editor can't exclude 0 itself. */
const SMALLEST = 0.00001;

/**
 * A field for an amount above 0, such as half a day, or a text that is one, of which the editor allows what is
 * read.
 */
export function amountField(property: NumberProperty): Field<number> {
	return field(
		{ ...property, type: 'number', typeOptions: { minValue: SMALLEST } },
		(value): Reading<number> => {
			const number = numberOf(value);
			if (!(number > 0 && Number.isFinite(number))) {
				return { problem: `It is ${shown(value)}; a number above 0 is required.` };
			}
			if (number >= SMALLEST) return { value: number };
			return { problem: `It is ${number}; the minimum is ${SMALLEST}.` };
		},
	);
}

// Number() by itself would accept true as 1, and a list of one as its entry.
function numberOf(value: unknown): number {
	return typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
}
