import type { IExecuteFunctions } from 'n8n-workflow';

import { problemsError } from './findings';
import { fromForm, type RecipientRow } from './recipientFields';
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
	if (raw === null) {
		const problem = 'The JSON cannot be read. Give an array of recipients, or one of them.';
		return { recipients, problems: [problem] };
	}
	if (raw.length === 0) return { recipients, problems: ['There is none. Add at least one.'] };
	const problems: string[] = [];
	for (const [position, entry] of raw.entries()) {
		const result = readRecipient(entry, needsIdentifier);
		if ('recipient' in result) recipients.push(result.recipient);
		else problems.push(...result.problems.map((one) => `Recipient ${position + 1}: ${one}`));
	}
	return { recipients, problems };
}

function rawRecipients(context: IExecuteFunctions, itemIndex: number): unknown[] | null {
	const source = context.getNodeParameter('recipientsFrom', itemIndex);
	// Without an expression, of which n8n evaluates about two thousand a second.
	if (source === 'item') return [context.getInputData()[itemIndex].json];
	if (source === 'form') {
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
