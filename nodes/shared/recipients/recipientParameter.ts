import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { invalidItem } from '../items/invalidItem';
import { EXAMPLE_JSON, fromForm, rowFields, type RecipientRow } from './recipientFields';
import { readRecipient, type Recipient } from './recipients';

/** The parameter's name in the editor. */
export const RECIPIENTS = 'Recipients';

/**
 * Reads and checks the recipients of an item, from the form, from JSON or from the item itself (rules
 * SEND-02, RCPT-01 to RCPT-07, CONS-04).
 *
 * @throws InvalidItem with the problems of each wrong recipient, by position
 */
export function readRecipients(
	context: IExecuteFunctions,
	itemIndex: number,
	needsIdentifier: boolean,
): Recipient[] {
	const rows = readRows(context, itemIndex);
	if (rows.length === 0) throw invalidItem(RECIPIENTS, 'There is none. Add at least one.');
	const results = rows.map((row) => readRecipient(row, needsIdentifier));
	const problems = results.flatMap((result, position) =>
		'problems' in result ? result.problems.map((one) => `Recipient ${position + 1}: ${one}`) : [],
	);
	if (problems.length > 0) throw invalidItem(RECIPIENTS, ...problems);
	return results.flatMap((result) => ('recipient' in result ? [result.recipient] : []));
}

function readRows(context: IExecuteFunctions, itemIndex: number): unknown[] {
	const source = context.getNodeParameter('recipientsFrom', itemIndex);
	// Without an expression: n8n evaluates only about two thousand of them a second.
	if (source === 'item') return [context.getInputData()[itemIndex].json];
	if (source === 'form') return formRows(context, itemIndex).map(fromForm);
	return jsonRows(context.getNodeParameter('recipientsJson', itemIndex, ''));
}

/** The rows; or the one recipient of an operation whose form has no rows, but their fields. */
function formRows(context: IExecuteFunctions, itemIndex: number): RecipientRow[] {
	const rows = context.getNodeParameter('recipients', itemIndex, null) as IDataObject | null;
	if (rows !== null) return [rows.recipient ?? []].flat() as RecipientRow[];
	const value = (name: string) => context.getNodeParameter(name, itemIndex, '') as string;
	return [Object.fromEntries(rowFields.map((name) => [name, value(name)]))];
}

function jsonRows(value: unknown): unknown[] {
	if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
		throw invalidItem(
			RECIPIENTS,
			`The JSON is empty. Give an array of recipients: ${EXAMPLE_JSON}`,
		);
	}
	const parsed = typeof value === 'string' ? parseJson(value) : value;
	if (Array.isArray(parsed)) return parsed;
	if (typeof parsed === 'object' && parsed !== null) return [parsed];
	throw invalidItem(
		RECIPIENTS,
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
