import type { IExecuteFunctions } from 'n8n-workflow';

import { invalidItem } from '../items/invalidItem';
import {
	entriesOf,
	memberOf,
	parameterOf,
	readEvaluated,
	readField,
	type Parameter,
} from '../fields/field';
import {
	fieldsFor,
	jsonField,
	nameInForm,
	readKind,
	recipientsFrom,
	rowDefaults,
} from './recipientFields';
import { readRecipient, type Recipient } from './recipients';

/** The parameter's name in the editor. */
export const RECIPIENTS = 'Recipients';

/** The display names of the recipient parameters, which differ for an operation that takes one recipient. */
export interface ParameterNames {
	form: string;
	json: string;
}

/**
 * Reads and checks the recipients of an item, from the form, from JSON or from the item itself (rules
 * SEND-02, RCPT-01 to RCPT-07, CONS-04).
 *
 * @throws InvalidItem with the problems of each wrong recipient, by position if there are several
 */
export function readRecipients(
	context: IExecuteFunctions,
	itemIndex: number,
	needsIdentifier: boolean,
	names: ParameterNames = { form: RECIPIENTS, json: RECIPIENTS },
): Recipient[] {
	const source = readField(context, itemIndex, recipientsFrom);
	const parameter = { ...names, item: recipientsFrom.displayName }[source];
	const rows = READ_ROWS[source](context, itemIndex, parameter);
	if (rows.length === 0) throw invalidItem(parameter, 'There is none. Add at least one.');
	const nameOf = source === 'form' ? nameInForm : undefined;
	const results = rows.map(({ value, raw }) => readRecipient(value, needsIdentifier, nameOf, raw));
	const problems = results.flatMap((result, position) => {
		if (!('problems' in result)) return [];
		if (source === 'item') return withFields(result.problems, rows[position].value);
		const place = rows.length > 1 ? `Recipient ${position + 1}: ` : '';
		return result.problems.map((problem) => `${place}${problem}`);
	});
	if (problems.length > 0) throw invalidItem(parameter, ...problems);
	return results.flatMap((result) => ('recipient' in result ? [result.recipient] : []));
}

/** How the rows are found; `raw` is there only for those that the user fills in. */
type ReadRows = (context: IExecuteFunctions, itemIndex: number, parameter: string) => Parameter[];

const READ_ROWS: Record<'form' | 'item' | 'json', ReadRows> = {
	form: formRows,

	// Without an expression: n8n evaluates only about two thousand of them a second.
	item: (context, itemIndex) => [asData(context.getInputData()[itemIndex].json)],

	json: (context, itemIndex, parameter) =>
		readField(context, itemIndex, jsonField(parameter)).map(asData),
};

function asData(value: unknown): Parameter {
	return { value, raw: null };
}

/** Fields of an item that an error lists; a wide row of a spreadsheet has more. */
const MOST_FIELDS = 20;

/** Lists the item's fields if it lacks those of a recipient. */
function withFields([first, ...others]: string[], item: unknown): string[] {
	const fields = Object.keys(item as object);
	const has = (...names: string[]) => names.every((name) => fields.includes(name));
	if (has('email', 'company') || has('email', 'firstname', 'lastname')) return [first, ...others];
	const listed = fields.slice(0, MOST_FIELDS).join(', ') || 'none';
	const left = fields.length > MOST_FIELDS ? `, and ${fields.length - MOST_FIELDS} more` : '';
	return [`${first} The fields of the item: ${listed}${left}.`, ...others];
}

/** The rows of the form; for an operation with one recipient, its fields as one row. */
function formRows(context: IExecuteFunctions, itemIndex: number, parameter: string): Parameter[] {
	const collection = parameterOf(context, itemIndex, 'recipients', null);
	const rows =
		collection.value === null
			? [singleRow(context, itemIndex)]
			: entriesOf(memberOf(collection, 'recipient'));
	return rows.map((row) => {
		const kind = readEvaluated(memberOf(row, 'recipientKind'), readKind);
		if ('value' in kind) return { value: fieldsFor(kind.value, row.value), raw: row.raw };
		throw invalidItem(parameter, `${nameInForm('recipientKind')}: ${kind.problem}`);
	});
}

function singleRow(context: IExecuteFunctions, itemIndex: number): Parameter {
	const fields = Object.entries(rowDefaults).map(
		([name, byDefault]) => [name, parameterOf(context, itemIndex, name, byDefault)] as const,
	);
	const all = (part: keyof Parameter) =>
		Object.fromEntries(fields.map(([name, field]) => [name, field[part]]));
	return { value: all('value'), raw: all('raw') };
}
