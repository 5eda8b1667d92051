import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import {
	MAX_ATTACHMENT_BYTES,
	fieldNames,
	readAttachments,
	type StoredFile,
} from '../shared/attachments';
import { checkedCredential, hintAtExpiry, requireCertificate } from '../shared/credentialCheck';
import { customerPicker, readCustomer } from '../shared/customerPicker';
import { bodyProblem } from '../shared/letterBody';
import { outputItem, parameterError, prepareAll, type Outcome } from '../shared/perItem';
import { recipientFields } from '../shared/recipientFields';
import { readRecipients } from '../shared/recipientParameter';
import { readSchedule } from '../shared/schedule';
import { totalSize, type Letter } from './letter';
import { sendAll, type KeyedLetter } from './mailing';
import { mailingHint } from './progress';
import { mailingFields, readMailingSettings, readSendOnceKey } from './mailingOptions';

const show = { operation: ['send'] };

export const sendFields: INodeProperties[] = [
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
		],
	},
];

/**
 * Sends one letter to each recipient of every item (interface, POST /messages/bulk_send).
 *
 * All items are checked before the first letter leaves. Each input item has its own output item.
 */
export async function send(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const prepared = await prepareAll(context, (index) => readLetter(context, index));
	const letters = prepared.flatMap((outcome) => ('value' in outcome ? [outcome.value] : []));
	const sent = await sendAll(context, letters, readMailingSettings(context));
	const hint = mailingHint(sent);
	if (hint !== null) context.addExecutionHints(hint);
	return prepared.map((outcome, index) =>
		outputItem('error' in outcome ? outcome : (sent.get(index) as Outcome<IDataObject>), index),
	);
}

async function readLetter(context: IExecuteFunctions, itemIndex: number): Promise<KeyedLetter> {
	const fail = (parameter: string, problem: string) =>
		parameterError(context, itemIndex, parameter, problem);
	const now = new Date();
	const credential = await checkedCredential(context, itemIndex);
	const type = readType(context.getNodeParameter('type', itemIndex));
	if (type === null) throw fail('Type', 'It must be LRE, LS, AS, AES or MT.');
	if (type === 'LRE') requireCertificate(context, itemIndex, credential, now);
	if (itemIndex === 0) hintAtExpiry(context, credential, now);

	const body = String(context.getNodeParameter('body', itemIndex, '') ?? '');
	const problem = bodyProblem(body, type === 'tracked');
	if (problem !== null) throw fail('Body', problem);

	const letter = {
		recipients: readRecipients(context, itemIndex, type === 'LRE'),
		attachments: await readLetterAttachments(context, itemIndex, type === 'tracked'),
		fields: {
			type: type === 'tracked' ? (credential.trackedMailSpelling ?? 'AES') : type,
			body,
			...readOptions(context, itemIndex, type, now),
		},
	};
	return { itemIndex, letter, sendOnceKey: readSendOnceKey(context, itemIndex) };
}

type LetterType = 'LRE' | 'LS' | 'AS' | 'tracked';

// Both spellings of tracked mail mean the same; which one goes out is the credential's to say (TYPE-06).
function readType(value: unknown): LetterType | null {
	if (value === 'AES' || value === 'MT') return 'tracked';
	return value === 'LRE' || value === 'LS' || value === 'AS' ? value : null;
}

async function readLetterAttachments(
	context: IExecuteFunctions,
	itemIndex: number,
	isTrackedMail: boolean,
): Promise<StoredFile[]> {
	const fail = (problem: string) =>
		parameterError(context, itemIndex, 'Attachment Fields', problem);
	const names = fieldNames(
		String(context.getNodeParameter('attachmentFields', itemIndex, '') ?? ''),
	);
	if (isTrackedMail && names.length > 1) {
		throw fail(`Tracked mail takes one attachment; there are ${names.length}.`);
	}
	const binary = context.getInputData()[itemIndex].binary ?? {};
	const missing = names.find((name) => !(name in binary));
	if (missing !== undefined) {
		const present = Object.keys(binary).join(', ') || 'none';
		throw fail(`The item has no binary field "${missing}". Its binary fields: ${present}.`);
	}
	const files = await readAttachments(context, itemIndex, names);
	const total = totalSize(files);
	if (total > MAX_ATTACHMENT_BYTES) {
		throw fail(`The files have ${Math.ceil(total / 1024 / 1024)} MB in all; 250 MB is the most.`);
	}
	return files;
}

function readOptions(
	context: IExecuteFunctions,
	itemIndex: number,
	type: LetterType,
	now: Date,
): Partial<Letter['fields']> {
	const fail = (parameter: string, problem: string) =>
		parameterError(context, itemIndex, parameter, problem);
	const options = context.getNodeParameter('options', itemIndex, {});
	const text = (name: string) => String(options[name] ?? '').trim();
	const customer = readCustomer(options.sender);
	if ('problem' in customer) throw fail('Sender', customer.problem);
	const sender = customer.id;
	if (sender !== '' && type === 'LRE') {
		throw fail(
			'Sender',
			'The service does not send registered letters (LRE) for a customer at present. Send it from your own account, without Sender.',
		);
	}
	const scheduledAt = options.scheduledAt
		? readSchedule(options.scheduledAt, context.getTimezone(), now)
		: null;
	if (scheduledAt && 'problem' in scheduledAt) throw fail('Scheduled At', scheduledAt.problem);
	return {
		...(text('fileReference') !== '' && { fileReference: text('fileReference') }),
		...(text('customerReference') !== '' && { customerReference: text('customerReference') }),
		...(sender !== '' && { sender }),
		...(typeof options.includeSenderLogo === 'boolean' && {
			includeSenderLogo: options.includeSenderLogo,
		}),
		...(scheduledAt && { scheduledAt: scheduledAt.at }),
	};
}
