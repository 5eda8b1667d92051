import type { IExecuteFunctions } from 'n8n-workflow';

import { DEFAULT_CONCURRENCY } from '../shared/fields/concurrencyField';
import { readOptions } from '../shared/fields/field';
import { assertCanIsolate } from '../shared/sending/isolateField';
import type { SendingSettings } from '../shared/sending/settings';
import { contentKey } from './letter';
import { DEFAULT_MAX_RECIPIENTS, mailingOptions } from './letterFields';
import { countLetters, tooManyLetters, type LetterCount } from './maxLetters';
import type { LetterEntry } from './sendPosting';

/** How letters go out, for Send and Check alike. */
export interface MailingSettings extends SendingSettings<LetterEntry> {
	/** How many letters may go out; null for no limit. */
	maxLetters: number | null;
}

/**
 * Settings of the whole run, from the first item.
 *
 * @throws InvalidItem if one is invalid: a limit that cannot be read must let nothing out
 */
export function readMailingSettings(context: IExecuteFunctions): MailingSettings {
	const options = readOptions(context, 0, mailingOptions);
	const { isolateBadEntries: isIsolating = false, maxLetters = null } = options;
	if (isIsolating) assertCanIsolate(context);
	const isGrouping = options.groupRecipients === true;
	const most = options.maxRecipientsPerRequest ?? DEFAULT_MAX_RECIPIENTS;
	return {
		sharing: {
			key: ({ letter }) => (isGrouping ? contentKey(letter) : null),
			weight: ({ letter }) => letter.recipients.length,
			most: isGrouping ? most : null,
		},
		concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
		isIsolating,
		sendsUnknownAgain: options.ifOutcomeUnknown === 'sendAgain',
		maxLetters,
		refuse: (leaving) => tooManyLetters(countOf(leaving), maxLetters),
	};
}

function countOf(entries: LetterEntry[]): LetterCount {
	return countLetters(
		entries.map(({ letter: { fields, recipients } }) => [fields.type, recipients.length]),
	);
}
