import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { invalidItem } from '../items/invalidItem';
import { isRecord } from './isRecord';
import { shortened } from '../transport/plainText';
import type { Reader, Reading } from './reading';

type Field = Pick<INodeProperties, 'name' | 'displayName' | 'default'>;

/** What is in a parameter: all fields, options and recipients of the form are read as one of these. */
export interface Parameter {
	/** What it comes out as for an item. */
	value: unknown;
	/** What the node itself has there. An expression begins with "="; n8n evaluates nothing else. */
	raw: unknown;
}

/**
 * Reads what an item has in a field.
 *
 * @throws InvalidItem when the reader finds a problem
 */
export function readParameter<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	field: Field,
	reader: Reader<T>,
): T {
	const parameter = parameterOf(context, itemIndex, field.name, field.default);
	const reading = readEvaluated(parameter, reader);
	if ('value' in reading) return reading.value;
	throw invalidItem(field.displayName, reading.problem);
}

/**
 * n8n applies the default only if the user never filled in the field. An expression that evaluates to
 * undefined stays undefined (tested in n8n 2.41), so a reader can reject it.
 */
export function parameterOf(
	context: IExecuteFunctions,
	itemIndex: number,
	name: string,
	byDefault: unknown,
): Parameter {
	return {
		value: context.getNodeParameter(name, itemIndex, byDefault),
		raw: context.getNodeParameter(name, itemIndex, byDefault, { rawExpressions: true }),
	};
}

/** A member of a collection. */
export function memberOf({ value, raw }: Parameter, name: string): Parameter {
	const member = (of: unknown) => (isRecord(of) ? of[name] : undefined);
	return { value: member(value), raw: member(raw) };
}

/** The entries of a list, or the one there is. */
export function entriesOf({ value, raw }: Parameter): Parameter[] {
	const raws = [raw].flat();
	return [value ?? []].flat().map((entry, at) => ({ value: entry, raw: raws[at] }));
}

/**
 * Reads a parameter, unless it has an expression that n8n did not evaluate: it would go out as it stands.
 * Braces in the data that an expression gives are the user's own.
 */
export function readEvaluated<T>({ value, raw }: Parameter, reader: Reader<T>): Reading<T> {
	// What is hidden has no value.
	const expression = value === undefined ? null : unevaluated(raw);
	if (expression === null) return reader(value);
	return {
		problem: `It has ${shortened(expression, 60)} in it as plain text, which n8n did not evaluate. Switch the field from Fixed to Expression.`,
	};
}

/** The first expression in braces that is text for n8n. */
function unevaluated(raw: unknown): string | null {
	if (typeof raw === 'object' && raw !== null) {
		// Beside its value, a picker keeps the name of what was picked.
		const parts = '__rl' in raw && 'value' in raw ? [raw.value] : Object.values(raw);
		return parts.map(unevaluated).find((found) => found !== null) ?? null;
	}
	if (typeof raw !== 'string' || raw.startsWith('=')) return null;
	const start = raw.indexOf('{{');
	const end = start < 0 ? -1 : raw.indexOf('}}', start);
	return end < 0 ? null : raw.slice(start, end + 2);
}
