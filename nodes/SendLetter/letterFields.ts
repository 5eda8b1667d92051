import type { INodeProperties } from 'n8n-workflow';

import { customerPicker } from '../shared/customerPicker';
import { recipientFields } from '../shared/recipientFields';
import { mailingFields } from './mailingOptions';

const show = { operation: ['check', 'send'] };

/** What a letter is made of; the same for sending it and for checking it. */
export const letterFields: INodeProperties[] = [
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
					'Legal value, with proof of acceptance or refusal. Needs the client certificate.',
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
					'E-mail that tells when it was delivered and opened; no legal value, no evidence',
			},
		],
		default: 'LS',
		required: true,
		description: 'The kind of letter. Each one sent costs what your contract says.',
		displayOptions: { show },
	},
	...recipientFields(show),
	{
		displayName: 'Body',
		name: 'body',
		type: 'string',
		typeOptions: { rows: 6 },
		default: '',
		required: true,
		placeholder: 'e.g. <p>Dear Ms Martin, please find enclosed …</p>',
		description: 'Text of the letter, in HTML. Tracked mail takes 2 to 10,000 characters of text.',
		displayOptions: { show },
	},
	{
		displayName: 'Attachment Fields',
		name: 'attachmentFields',
		type: 'string',
		default: '',
		placeholder: 'e.g. data, contract',
		description:
			'Input binary fields to attach, separated by commas. 250 MB in all; tracked mail takes one file.',
		hint: 'Leave empty to send without attachments',
		displayOptions: { show },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show },
		options: [
			mailingFields.concurrency,
			{
				displayName: 'Customer Reference',
				name: 'customerReference',
				type: 'string',
				default: '',
				placeholder: 'e.g. CUST-4711',
				description: 'Your reference for the customer, returned with the letter and its events',
			},
			{
				displayName: 'File Reference',
				name: 'fileReference',
				type: 'string',
				default: '',
				placeholder: 'e.g. INV-2026-0042',
				description: 'Your reference for the file, returned with the letter and its events',
			},
			mailingFields.groupRecipients,
			mailingFields.ifOutcomeUnknown,
			{
				displayName: 'Include Sender Logo',
				name: 'includeSenderLogo',
				type: 'boolean',
				default: true,
				description: 'Whether the notification e-mail shows the logo of the sender',
			},
			mailingFields.isolateBadEntries,
			mailingFields.maxLetters,
			mailingFields.maxRecipientsPerRequest,
			{
				displayName: 'Scheduled At',
				name: 'scheduledAt',
				type: 'dateTime',
				default: '',
				description:
					'When to send the letter: at least 15 minutes and at most 90 days from now, in the time zone of the workflow unless the value has an offset',
			},
			mailingFields.sendOnceKey,
			customerPicker(
				{
					displayName: 'Sender',
					name: 'sender',
					description:
						'For resellers: the customer to send for, who must have accepted the delegation. Not available for registered letters (LRE).',
				},
				'searchAcceptedCustomers',
			),
			mailingFields.watch,
		],
	},
];
