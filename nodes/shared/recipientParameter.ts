import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { problemsError } from './findings';
import { EXAMPLE_JSON, fromForm, rowFields, type RecipientRow } from './recipientFields';
import { readRecipient, type Recipient } from './recipients';

/** The parameter's name in the editor. */
export const RECIPIENTS = 'Recipients';

/**
 * Reads and checks the recipients of an item, from the form, from JSON or from the item itself (rules
 * SEND-02, RCPT-01 to RCPT-07, CONS-04).
 *
 * @throws NodeOperationError naming each wrong recipient by its position.
 */
export function readRecipients(
	context: IExecuteFunctions,
	itemIndex: number,
	needsIdentifier: boolean,
): Recipient[] {
	const { recipients, problems } = checkRecipients(context, itemIndex, needsIdentifier);
	if (problems.length === 0) return recipients;
	const listed = problems.map((message) => ({ parameter: RECIPIENTS, message }));
	throw problemsError(context, itemIndex, listed);
}

/** The recipients of an item that are in order, and what is wrong with the others. */
export function checkRecipients(
	context: IExecuteFunctions,
	itemIndex: number,
	needsIdentifier: boolean,
): { recipients: Recipient[]; problems: string[] } {
	const recipients: Recipient[] = [];
	const raw = rawRecipients(context, itemIndex);
	if ('problem' in raw) return { recipients, problems: [raw.problem] };
	if (raw.length === 0) return { recipients, problems: ['There is none. Add at least one.'] };
	const problems: string[] = [];
	for (const [position, entry] of raw.entries()) {
		const result = readRecipient(entry, needsIdentifier);
		if ('recipient' in result) recipients.push(result.recipient);
		else problems.push(...result.problems.map((one) => `Recipient ${position + 1}: ${one}`));
	}
	return { recipients, problems };
}

function rawRecipients(
	context: IExecuteFunctions,
	itemIndex: number,
): unknown[] | { problem: string } {
	const source = context.getNodeParameter('recipientsFrom', itemIndex);
	// Without an expression, of which n8n evaluates about two thousand a second.
	if (source === 'item') return [context.getInputData()[itemIndex].json];
	if (source === 'form') return formRows(context, itemIndex).map(fromForm);
	return fromJson(context.getNodeParameter('recipientsJson', itemIndex, ''));
}

/** The rows, or the one recipient of an operation that has their fields by themselves. */
function formRows(context: IExecuteFunctions, itemIndex: number): RecipientRow[] {
	const rows = context.getNodeParameter('recipients', itemIndex, null) as IDataObject | null;
	if (rows !== null) return [rows.recipient ?? []].flat() as RecipientRow[];
	const value = (name: string) => context.getNodeParameter(name, itemIndex, '') as string;
	return [Object.fromEntries(rowFields().map((name) => [name, value(name)]))];
}

function fromJson(value: unknown): unknown[] | { problem: string } {
	if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
		return { problem: `The JSON is empty. Give an array of recipients: ${EXAMPLE_JSON}` };
	}
	const parsed = typeof value === 'string' ? parseJson(value) : value;
	if (Array.isArray(parsed)) return parsed;
	if (typeof parsed === 'object' && parsed !== null) return [parsed];
	return { problem: 'The JSON cannot be read. Give an array of recipients, or one of them.' };
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
