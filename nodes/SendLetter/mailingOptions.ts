import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { concurrencyField, readConcurrency } from '../shared/concurrencyField';
import { isolateField } from '../shared/isolateField';
import type { MailingSettings } from './mailing';
import { maxLettersField, readMaxLetters } from './maxLetters';

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
			'A key of your own for the letter, such as an invoice number. What this node has sent under a key is never sent again, also not by a later execution: the earlier message IDs are given instead.',
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

/** Settings of the whole run, as the first item has them. A limit that cannot be read lets nothing out. */
export function readMailingSettings(
	context: IExecuteFunctions,
): Omit<MailingSettings, 'isIsolating'> {
	const options = context.getNodeParameter('options', 0, {});
	const max = Number(options.maxRecipientsPerRequest ?? DEFAULT_MAX_RECIPIENTS);
	const limit = readMaxLetters(options.maxLetters);
	return {
		concurrency: readConcurrency(context),
		maxRecipients: options.groupRecipients === true ? Math.max(1, max) : null,
		maxLetters: 'max' in limit ? limit.max : 0,
		resendUnknown: options.ifOutcomeUnknown === 'sendAgain',
	};
}

/** The item's key, or null. An expression that comes out empty is a mistake, not a letter without key. */
export function readSendOnceKey(value: unknown): { key: string | null } | { problem: string } {
	if (value === undefined) return { key: null };
	const key = String(value ?? '').trim();
	if (key !== '') return { key };
	return { problem: 'It is empty for this item. Give each letter a key, or remove the option.' };
}
