import type { INodeProperties } from 'n8n-workflow';

import { concurrencyField } from '../shared/items/concurrency';
import { senderField } from '../shared/pickers/customerPicker';
import {
	choiceField,
	field,
	givenText,
	oneOf,
	readFlag,
	readText,
	readUntrimmed,
} from '../shared/fields/field';
import { wholeNumberField } from '../shared/fields/numberField';
import { optionsField } from '../shared/items/operation';
import { recipientFields } from '../shared/recipients/recipientFields';
import { maxLettersField } from './maxLetters';
import { scheduledAtField } from './schedule';

export const typeField = field(
	{
		displayName: 'Type',
		name: 'type',
		type: 'options',
		noDataExpression: false,
		options: [
			{
				name: 'Registered Letter (LRE)',
				value: 'LRE',
				description:
					'Has legal value, with proof of acceptance or refusal. Needs the client certificate.',
			},
			{ name: 'Simple Letter (LS)', value: 'LS', description: 'A letter with proof of sending' },
			{
				name: 'Simplified Notice (AS)',
				value: 'AS',
				description: 'A notice under the rules of the simple letter',
			},
			{
				name: 'Tracked Mail (AES / MT)',
				value: 'AES',
				description:
					'Email that reports when it was delivered and opened; no legal value, no evidence',
			},
		],
		default: 'LS',
		required: true,
		description: 'The kind of letter. Each is charged as agreed in your contract.',
	},
	// Both spellings of tracked mail mean the same (TYPE-06).
	oneOf(['LRE', 'LS', 'AS', 'AES', 'MT']),
);

export const bodyField = field(
	{
		displayName: 'Body',
		name: 'body',
		type: 'string',
		typeOptions: { rows: 6 },
		default: '',
		required: true,
		placeholder: 'e.g. <p>Dear Ms Martin, please find enclosed …</p>',
		description: 'Text of the letter, in HTML. Tracked mail takes 2 to 10,000 characters of text.',
		hint: 'To use data of the item, such as {{ $json.firstname }}, point at the field and switch it from Fixed to Expression',
	},
	// Sent unchanged, including spaces at its ends.
	readUntrimmed,
);

export const attachmentsField = field(
	{
		displayName: 'Attachment Fields',
		name: 'attachmentFields',
		type: 'string',
		default: '',
		placeholder: 'e.g. data, contract',
		description:
			'Input binary fields to attach, separated by commas. 250 MB in total; tracked mail takes one file.',
		hint: 'Leave empty to send without attachments',
	},
	// An empty text means no attachments. An expression that gives nothing was meant to name some, and the
	// letter must not go without them.
	givenText('For no attachments it must be an empty text.'),
);

/** A thousand letters with the same content make four requests; one wrong recipient affects 250 at most. */
export const DEFAULT_MAX_RECIPIENTS = 250;

/** What an item says of its letter besides the fields above. */
export const letterOptions = {
	fileReference: field(
		{
			displayName: 'File Reference',
			name: 'fileReference',
			type: 'string',
			default: '',
			placeholder: 'e.g. INV-2026-0042',
			description: 'Your reference for the file, returned with the letter and its events',
		},
		readText,
	),
	customerReference: field(
		{
			displayName: 'Customer Reference',
			name: 'customerReference',
			type: 'string',
			default: '',
			placeholder: 'e.g. CUST-4711',
			description: 'Your reference for the customer, returned with the letter and its events',
		},
		readText,
	),
	sender: senderField(
		'the customer to send for, who must have accepted the delegation. Not available for registered letters (LRE).',
		'searchAcceptedCustomers',
	),
	includeSenderLogo: field(
		{
			displayName: 'Include Sender Logo',
			name: 'includeSenderLogo',
			type: 'boolean',
			default: true,
			description: 'Whether the notification email shows the logo of the sender',
		},
		readFlag,
	),
	scheduledAt: scheduledAtField,
	sendOnceKey: field(
		{
			displayName: 'Send Once Key',
			name: 'sendOnceKey',
			type: 'string',
			default: '=',
			placeholder: 'e.g. INV-2026-0042',
			hint: 'An expression such as {{ $json.invoiceNumber }} gives each item its own key',
			description:
				'Your key for this one letter, such as an invoice number. What was sent under a key is never sent again. Several workers need a webhook receiver.',
		},
		readText,
	),
	requireConsent: field(
		{
			displayName: 'Require Consent',
			name: 'requireConsent',
			type: 'boolean',
			default: true,
			description:
				'Whether to reject registered letters (LRE) to people whose newest consent is not accepted. The law requires it of private persons.',
		},
		readFlag,
	),
	maxLetters: maxLettersField,
};

/** What the first item says of the whole run. */
export const mailingOptions = {
	concurrency: concurrencyField,
	groupRecipients: field(
		{
			displayName: 'Group Recipients',
			name: 'groupRecipients',
			type: 'boolean',
			default: true,
			description:
				'Whether items that differ only in recipients share a request. If it is rejected, each half is sent by itself, so every item has its own result.',
		},
		readFlag,
	),
	ifOutcomeUnknown: choiceField({
		displayName: 'If Outcome Is Unknown',
		name: 'ifOutcomeUnknown',
		options: [
			{
				name: 'Fail',
				value: 'fail',
				description: 'Never risk sending a letter twice. Check in the dashboard of the service.',
			},
			{
				name: 'Send Again',
				value: 'sendAgain',
				description: 'A retry sends it again; the recipient may get it twice, and both are charged',
			},
		],
		default: 'fail',
		description:
			'What a retry does with a letter whose connection broke before the service answered',
	}),
	maxLetters: maxLettersField,
	maxRecipientsPerRequest: wholeNumberField(
		{
			displayName: 'Max Recipients per Request',
			name: 'maxRecipientsPerRequest',
			default: DEFAULT_MAX_RECIPIENTS,
			description:
				"With 'Group Recipients': how many go in one request. With fewer, a broken connection affects fewer letters.",
		},
		1,
		10_000,
	),
};

/** The fields of a letter, for Send and Check alike. */
export const letterFields: INodeProperties[] = [
	typeField,
	...recipientFields('Each one gets their own letter'),
	{ ...bodyField, displayOptions: { show: { recipientsFrom: ['form', 'json'] } } },
	{
		...bodyField,
		// A mail merge has data of the item in its text, which on Fixed would be plain text.
		default: '=',
		hint: 'May have data of the item in it, such as {{ $json.firstname }}',
		displayOptions: { show: { recipientsFrom: ['item'] } },
	},
	attachmentsField,
	optionsField({ ...letterOptions, ...mailingOptions }),
];
