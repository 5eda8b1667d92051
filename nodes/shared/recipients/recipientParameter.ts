import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { invalidItem } from '../items/invalidItem';
import {
	EXAMPLE_JSON,
	fromForm,
	nameInForm,
	rowFields,
	type RecipientRow,
} from './recipientFields';
import { readRecipient, type NameOf, type Recipient } from './recipients';

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
	const { parameter, rows, nameOf } = readRows(context, itemIndex, names);
	if (rows.length === 0) throw invalidItem(parameter, 'There is none. Add at least one.');
	const results = rows.map((row) => readRecipient(row, needsIdentifier, nameOf));
	const problems = results.flatMap((result, position) => {
		if (!('problems' in result)) return [];
		if (parameter === RECIPIENTS_FROM) return withFields(result.problems, rows[position]);
		const place = rows.length > 1 ? `Recipient ${position + 1}: ` : '';
		return result.problems.map((problem) => `${place}${problem}`);
	});
	if (problems.length > 0) throw invalidItem(parameter, ...problems);
	return results.flatMap((result) => ('recipient' in result ? [result.recipient] : []));
}

/** The parameter that is on screen when the recipient is the item itself. */
const RECIPIENTS_FROM = 'Recipients From';

interface Rows {
	/** The parameter they come from, by its name in the editor. */
	parameter: string;
	rows: unknown[];
	nameOf?: NameOf;
}

function readRows(context: IExecuteFunctions, itemIndex: number, names: ParameterNames): Rows {
	const source = context.getNodeParameter('recipientsFrom', itemIndex);
	if (source === 'item') {
		// Without an expression: n8n evaluates only about two thousand of them a second.
		return { parameter: RECIPIENTS_FROM, rows: [context.getInputData()[itemIndex].json] };
	}
	if (source === 'form') {
		const rows = formRows(context, itemIndex).map(fromForm);
		return { parameter: names.form, rows, nameOf: nameInForm };
	}
	const json = context.getNodeParameter('recipientsJson', itemIndex, '');
	return { parameter: names.json, rows: jsonRows(json, names.json) };
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
function formRows(context: IExecuteFunctions, itemIndex: number): RecipientRow[] {
	const rows = context.getNodeParameter('recipients', itemIndex, null) as IDataObject | null;
	if (rows !== null) return [rows.recipient ?? []].flat() as RecipientRow[];
	const value = (name: string) => context.getNodeParameter(name, itemIndex, '') as string;
	return [Object.fromEntries(rowFields.map((name) => [name, value(name)]))];
}

function jsonRows(value: unknown, parameter: string): unknown[] {
	if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
		throw invalidItem(parameter, `The JSON is empty. Give an array of recipients: ${EXAMPLE_JSON}`);
	}
	const parsed = typeof value === 'string' ? parseJson(value) : value;
	if (Array.isArray(parsed)) return parsed;
	if (typeof parsed === 'object' && parsed !== null) return [parsed];
	throw invalidItem(
		parameter,
		'The JSON cannot be read. Give an array of recipients, or one recipient.',
	);
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
