import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { concurrencyField } from '../shared/concurrencyField';
import { Options } from '../shared/options';
import { parameterError, type Refuse } from '../shared/perItem';
import { isolateField, readIsolate } from '../shared/sending/isolateField';
import type { SendingSettings } from '../shared/sending/sendAll';
import { contentKey } from './letter';
import { countLetters, maxLettersField, readMaxLetters, tooManyLetters } from './maxLetters';
import { reporter } from './progress';
import type { LetterEntry } from './sendPosting';

/** A thousand letters of the same content make four requests; one wrong recipient refuses 250 at most. */
const DEFAULT_MAX_RECIPIENTS = 250;

/** Options on how letters go out, rather than what they say. In order of their names, as n8n wants. */
export const mailingFields = {
	concurrency: concurrencyField,
	groupRecipients: {
		displayName: 'Group Recipients',
		name: 'groupRecipients',
		type: 'boolean',
		default: true,
		description:
			'Whether items that differ in nothing but their recipients go out in one request. The service takes all of a request or nothing: one wrong recipient refuses the others with it, unless Isolate Bad Entries is on.',
	},
	ifOutcomeUnknown: {
		displayName: 'If Outcome Is Unknown',
		name: 'ifOutcomeUnknown',
		type: 'options',
		options: [
			{
				name: 'Fail',
				value: 'fail',
				description:
					'Never risk that a letter is sent twice. Look in the dashboard of the service.',
			},
			{
				name: 'Send Again',
				value: 'sendAgain',
				description: 'A retry sends it again; the recipient may get it twice, and both are charged',
			},
		],
		default: 'fail',
		description:
			'What a retry does with a letter whose connection broke before the service had answered',
	},
	isolateBadEntries: isolateField(
		'items',
		'With Group Recipients, where items share a request. An item stands or falls with all of its recipients.',
	),
	maxLetters: maxLettersField,
	maxRecipientsPerRequest: {
		displayName: 'Max Recipients per Request',
		name: 'maxRecipientsPerRequest',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 10_000 },
		default: DEFAULT_MAX_RECIPIENTS,
		description:
			'With Group Recipients: how many go in one request. More of them are faster; fewer mean that one wrong recipient, or a broken connection, concerns fewer letters.',
	},
	sendOnceKey: {
		displayName: 'Send Once Key',
		name: 'sendOnceKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.invoiceNumber }}',
		description:
			'A key of your own for the letter, such as an invoice number. What was sent under a key is never sent again, also not by a later execution: the earlier message IDs are given instead. With a Registered Delivery Receiver credential in this node that holds for all workflows, workers and n8n processes that use the receiver; without, for this node within one n8n process.',
	},
	watch: {
		displayName: 'Watch',
		name: 'watch',
		type: 'boolean',
		default: true,
		description:
			'Whether your webhook receiver asks the service for the status of these letters and starts the workflows with a Registered Delivery Trigger when it changes: accepted, refused, received, expired. Needs the credential of a receiver that knows the service.',
	},
} satisfies Record<string, INodeProperties>;

/** How letters go out: the same for sending them and for checking them. */
export interface MailingSettings extends SendingSettings<LetterEntry> {
	/** Letters that may go out, or null: any number. */
	maxLetters: number | null;
}

/**
 * Settings of the whole run, as the first item has them.
 *
 * @throws NodeOperationError when one of them is wrong: a limit that cannot be read must let nothing out
 */
export function readMailingSettings(context: IExecuteFunctions): MailingSettings {
	const values = context.getNodeParameter('options', 0, {});
	const options = new Options(values, (option, problem) => {
		throw parameterError(context, 0, option, problem);
	});
	const isGrouping = options.flag('groupRecipients', 'Group Recipients') === true;
	const most = options.wholeNumber('maxRecipientsPerRequest', 'Max Recipients per Request', 1);
	const { name, displayName, default: usual } = concurrencyField;
	const concurrency = options.wholeNumber(name, displayName, 1) ?? usual;
	const maxLetters = options.read('maxLetters', 'Max Letters', readMaxLetters) ?? null;
	return {
		sharing: {
			key: ({ letter }) => (isGrouping ? contentKey(letter) : null),
			weight: ({ letter }) => letter.recipients.length,
			most: isGrouping ? (most ?? DEFAULT_MAX_RECIPIENTS) : null,
		},
		concurrency,
		isIsolating: readIsolate(context),
		sendsUnknownAgain: readIfUnknown(options) === 'sendAgain',
		maxLetters,
		refuse: maxLetters === null ? null : (leaving) => refuseTooMany(context, leaving, maxLetters),
		report: reporter(context),
	};
}

function readIfUnknown(options: Options): string | undefined {
	return options.read('ifOutcomeUnknown', 'If Outcome Is Unknown', (value) =>
		value === 'fail' || value === 'sendAgain'
			? { value }
			: { problem: 'It must be Fail (fail) or Send Again (sendAgain).' },
	);
}

function refuseTooMany(
	context: IExecuteFunctions,
	leaving: LetterEntry[],
	most: number,
): Refuse | null {
	const count = countLetters(
		leaving.map(({ letter }) => ({ type: letter.fields.type, count: letter.recipients.length })),
	);
	if (count.total <= most) return null;
	return (itemIndex) => tooManyLetters(context, count, most, itemIndex);
}
