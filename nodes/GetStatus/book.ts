import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	LETTER_OUTCOMES,
	letterSummarySchema,
	lettersSchema,
	type LetterOutcome,
} from '../../webhook-receiver/src/core/letter-contract';
import { readMoment } from '../shared/fields/dateTime';
import { choiceField, field, readOptions, readText, type Reading } from '../shared/fields/field';
import { byName } from '../shared/items/operation';
import {
	callReceiver,
	NOT_A_RECEIVER,
	receiverFailed,
	type FailureMessages,
} from '../shared/transport/receiver';

// The receiver's book of letters: what GET /letters and GET /letters/summary know.

const MEANINGS: Record<LetterOutcome, string> = {
	leaving: 'Its request is under way',
	unknown: 'It may have been sent, and somebody has to look it up at the service',
	open: 'It was sent, and nothing final has come',
	accepted: 'The recipient accepted the registered letter',
	refused: 'The recipient refused the registered letter',
	opened: 'The recipient opened the tracked mail',
	received: 'The simple letter was received',
	expired: 'The recipient did not answer in time',
	undelivered: 'The email bounced; it may still be delivered later',
	failed: 'It was never sent, or was cancelled',
};

const textOption = (displayName: string, name: string, description: string, more = {}) =>
	field({ displayName, name, type: 'string', default: '', description, ...more }, readText);

const timeOption = (displayName: string, name: string, description: string) =>
	field(
		{ displayName, name, type: 'dateTime', default: '', description },
		(value, context): Reading<string> => {
			const read = readMoment(value, context.getTimezone());
			return 'value' in read ? { value: read.value.toUTC().toISO() as string } : read;
		},
	);

/** Which letters; all if none is set. By the names of the receiver's API. */
export const letterFilters = {
	customerReference: textOption(
		'Customer Reference',
		'customerReference',
		'Only letters that were sent with this customer reference',
	),
	fileReference: textOption(
		'File Reference',
		'fileReference',
		'Only letters that were sent with this file reference',
	),
	outcome: choiceField({
		displayName: 'Outcome',
		name: 'outcome',
		options: LETTER_OUTCOMES.map((value) => ({
			name: `${value[0].toUpperCase()}${value.slice(1)}`,
			value,
			description: MEANINGS[value],
		})).sort(byName),
		default: 'open',
		description: 'Only letters with this outcome',
	}),
	recipient: textOption('Recipient', 'recipient', 'Only letters to this email address', {
		placeholder: 'e.g. name@example.com',
	}),
	since: timeOption('Sent Since', 'since', 'Only letters that were sent at this time or later'),
	until: timeOption('Sent Until', 'until', 'Only letters that were sent before this time'),
	workflow: textOption(
		'Workflow ID',
		'workflow',
		'Only letters that the workflow with this ID sent',
	),
};

export type LetterQuery = Record<string, string | number>;

export function readLetterFilters(context: IExecuteFunctions, itemIndex: number): LetterQuery {
	return { ...readOptions(context, itemIndex, letterFilters) };
}

const ANSWERS = {
	'/letters': { member: 'data', schema: lettersSchema },
	'/letters/summary': { member: 'outcomes', schema: letterSummarySchema },
};

/** Asks the receiver of the credential. What only a newer one says of a letter is in the answer, too. */
export async function askBook(
	context: IExecuteFunctions,
	path: keyof typeof ANSWERS,
	query: LetterQuery,
): Promise<IDataObject> {
	const { member, schema } = ANSWERS[path];
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) search.set(name, String(value));
	const messages: FailureMessages = {
		refused: (reason) => `The webhook receiver rejected the request: ${reason}`,
		unknown: 'The webhook receiver keeps no book of letters',
		member,
	};
	const request = { method: 'GET', path: `${path}?${String(search)}` } as const;
	const result = await callReceiver(context, request, messages);
	const isOwn = 'body' in result && schema.safeParse(result.body).success;
	if (isOwn) return result.body as IDataObject;
	const failure = 'failure' in result ? result.failure : NOT_A_RECEIVER;
	throw receiverFailed(context, failure);
}
