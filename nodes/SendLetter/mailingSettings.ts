import type { IExecuteFunctions } from 'n8n-workflow';

import { concurrencyIn } from '../shared/fields/concurrencyField';
import { Options } from '../shared/fields/options';
import { readIsolate } from '../shared/sending/isolateField';
import type { SendingSettings } from '../shared/sending/settings';
import { contentKey } from './letter';
import { DEFAULT_MAX_RECIPIENTS } from './letterFields';
import { countLetters, readMaxLetters, tooManyLetters, type LetterCount } from './maxLetters';
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
	const options = Options.of(context, 0);
	const isGrouping = options.flag('groupRecipients', 'Group Recipients') === true;
	const most = options.wholeNumber('maxRecipientsPerRequest', 'Max Recipients per Request', 1);
	const ifUnknown = options.choice('ifOutcomeUnknown', 'If Outcome Is Unknown', [
		'fail',
		'sendAgain',
	]);
	const maxLetters = readMaxLetters(options);
	return {
		sharing: {
			key: ({ letter }) => (isGrouping ? contentKey(letter) : null),
			weight: ({ letter }) => letter.recipients.length,
			most: isGrouping ? (most ?? DEFAULT_MAX_RECIPIENTS) : null,
		},
		concurrency: concurrencyIn(options),
		isIsolating: readIsolate(context, options),
		sendsUnknownAgain: ifUnknown === 'sendAgain',
		maxLetters,
		refuse: (leaving) => tooManyLetters(countOf(leaving), maxLetters),
	};
}

function countOf(entries: LetterEntry[]): LetterCount {
	return countLetters(
		entries.map(({ letter: { fields, recipients } }) => [fields.type, recipients.length]),
	);
}
