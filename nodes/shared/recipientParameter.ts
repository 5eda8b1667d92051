import type { IExecuteFunctions } from 'n8n-workflow';

import { parameterError } from './perItem';
import { fromForm, type RecipientRow } from './recipientFields';
import { readRecipient, type Recipient } from './recipients';

/**
 * Reads and checks the recipients of an item, from the form or from JSON (rules SEND-02, RCPT-01 to
 * RCPT-07, CONS-04).
 *
 * @throws NodeOperationError naming the recipient by its position.
 */
export function readRecipients(
	context: IExecuteFunctions,
	itemIndex: number,
	needsIdentifier: boolean,
): Recipient[] {
	const fail = (problem: string) => parameterError(context, itemIndex, 'Recipients', problem);
	const raw = rawRecipients(context, itemIndex);
	if (raw === null)
		throw fail('The JSON cannot be read. Give an array of recipients, or one of them.');
	if (raw.length === 0) throw fail('There is none. Add at least one.');
	return raw.map((entry, position) => {
		const result = readRecipient(entry, needsIdentifier);
		if ('problem' in result) throw fail(`Recipient ${position + 1}: ${result.problem}`);
		return result.recipient;
	});
}

function rawRecipients(context: IExecuteFunctions, itemIndex: number): unknown[] | null {
	if (context.getNodeParameter('recipientsFrom', itemIndex) === 'form') {
		const rows = context.getNodeParameter('recipients.recipient', itemIndex, []);
		return ([rows].flat() as RecipientRow[]).map(fromForm);
	}
	const value = context.getNodeParameter('recipientsJson', itemIndex, []) as unknown;
	const parsed = typeof value === 'string' ? parseJson(value) : value;
	if (Array.isArray(parsed)) return parsed;
	return typeof parsed === 'object' && parsed !== null ? [parsed] : null;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
