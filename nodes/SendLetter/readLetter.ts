import type { IExecuteFunctions } from 'n8n-workflow';

import {
	MAX_ATTACHMENT_BYTES,
	fieldNames,
	readAttachments,
	type StoredFile,
} from '../shared/attachments';
import { certificateProblem, credentialProblem, hintAtExpiry } from '../shared/credentialCheck';
import { readCustomer } from '../shared/customerPicker';
import { CREDENTIAL, Findings, type ItemProblem } from '../shared/findings';
import { bodyProblem } from '../shared/letterBody';
import { RECIPIENTS, checkRecipients } from '../shared/recipientParameter';
import { readSchedule } from '../shared/schedule';
import { readCredential } from '../shared/service';
import { totalSize, type Letter } from './letter';
import type { KeyedLetter } from './mailing';
import { readSendOnceKey } from './mailingOptions';
import { readMaxLetters } from './maxLetters';

/** A letter that can go out, or everything that keeps it from doing so. */
export interface LetterReading {
	/** Type as it would go out, or null when it is none. */
	type: string | null;
	/** Null when there are problems. */
	letter: KeyedLetter | null;
	problems: ItemProblem[];
}

/** Reads the letter of an item and checks all of it. Sends nothing. */
export async function readLetter(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<LetterReading> {
	const findings = new Findings();
	const now = new Date();
	const credential = await readCredential(context);
	const unusable = credentialProblem(credential);
	findings.add(CREDENTIAL, unusable);

	const kind = findings.read('Type', undefined, () =>
		readType(context.getNodeParameter('type', itemIndex)),
	);
	if (kind === null) findings.add('Type', 'It must be LRE, LS, AS, AES or MT.');
	// A credential that cannot be read at all has been named already.
	if (kind === 'LRE' && unusable === null) {
		findings.add(CREDENTIAL, certificateProblem(credential, now));
	}
	if (itemIndex === 0) hintAtExpiry(context, credential, now);

	const isTracked = kind === 'tracked';
	const type = isTracked ? (credential.trackedMailSpelling ?? 'AES') : (kind ?? null);
	const body = findings.read('Body', null, () =>
		String(context.getNodeParameter('body', itemIndex, '') ?? ''),
	);
	if (body !== null) findings.add('Body', bodyProblem(body, isTracked));

	const recipients = readLetterRecipients(context, itemIndex, findings, kind === 'LRE');
	const attachments = await readLetterAttachments(context, itemIndex, findings, isTracked);
	const options = readOptions(context, itemIndex, findings, kind ?? null, now);
	const { problems } = findings;
	if (problems.length > 0 || type === null) return { type, letter: null, problems };
	const fields = { type, body: body ?? '', ...options.fields };
	const letter = { recipients, attachments, fields };
	return { type, letter: { itemIndex, letter, sendOnceKey: options.sendOnceKey }, problems };
}

type LetterKind = 'LRE' | 'LS' | 'AS' | 'tracked';

// Both spellings of tracked mail mean the same; which one goes out is the credential's to say (TYPE-06).
function readType(value: unknown): LetterKind | null {
	if (value === 'AES' || value === 'MT') return 'tracked';
	return value === 'LRE' || value === 'LS' || value === 'AS' ? value : null;
}

function readLetterRecipients(
	context: IExecuteFunctions,
	itemIndex: number,
	findings: Findings,
	needsIdentifier: boolean,
): Letter['recipients'] {
	const { recipients, problems } = findings.read(RECIPIENTS, { recipients: [], problems: [] }, () =>
		checkRecipients(context, itemIndex, needsIdentifier),
	);
	findings.add(RECIPIENTS, ...problems);
	return recipients;
}

async function readLetterAttachments(
	context: IExecuteFunctions,
	itemIndex: number,
	findings: Findings,
	isTrackedMail: boolean,
): Promise<StoredFile[]> {
	const names = findings.read('Attachment Fields', [], () =>
		fieldNames(String(context.getNodeParameter('attachmentFields', itemIndex, '') ?? '')),
	);
	const problem = (message: string) => findings.add('Attachment Fields', message);
	if (isTrackedMail && names.length > 1) {
		problem(`Tracked mail takes one attachment; there are ${names.length}.`);
	}
	const binary = context.getInputData()[itemIndex].binary ?? {};
	const present = Object.keys(binary).join(', ') || 'none';
	const missing = names.filter((name) => !(name in binary));
	for (const name of missing) {
		problem(`The item has no binary field "${name}". Its binary fields: ${present}.`);
	}
	if (missing.length > 0) return [];
	try {
		const files = await readAttachments(context, itemIndex, names);
		const total = totalSize(files);
		if (total > MAX_ATTACHMENT_BYTES) {
			problem(`The files have ${Math.ceil(total / 1024 / 1024)} MB in all; 250 MB is the most.`);
		}
		return files;
	} catch (error) {
		problem((error as Error).message);
		return [];
	}
}

function readOptions(
	context: IExecuteFunctions,
	itemIndex: number,
	findings: Findings,
	kind: LetterKind | null,
	now: Date,
): { fields: Partial<Letter['fields']>; sendOnceKey: string | null } {
	const options = findings.read('Options', {}, () =>
		context.getNodeParameter('options', itemIndex, {}),
	);
	const text = (name: string) => String(options[name] ?? '').trim();
	const customer = readCustomer(options.sender);
	if ('problem' in customer) findings.add('Sender', customer.problem);
	const sender = 'id' in customer ? customer.id : '';
	if (sender !== '' && kind === 'LRE') {
		findings.add(
			'Sender',
			'The service does not send registered letters (LRE) for a customer at present. Send it from your own account, without Sender.',
		);
	}
	const schedule = options.scheduledAt
		? readSchedule(options.scheduledAt, context.getTimezone(), now)
		: null;
	if (schedule && 'problem' in schedule) findings.add('Scheduled At', schedule.problem);
	const once = readSendOnceKey(options.sendOnceKey);
	if ('problem' in once) findings.add('Send Once Key', once.problem);
	const limit = readMaxLetters(options.maxLetters);
	if ('problem' in limit) findings.add('Max Letters', limit.problem);
	const fields = {
		...(text('fileReference') !== '' && { fileReference: text('fileReference') }),
		...(text('customerReference') !== '' && { customerReference: text('customerReference') }),
		...(sender !== '' && { sender }),
		...(typeof options.includeSenderLogo === 'boolean' && {
			includeSenderLogo: options.includeSenderLogo,
		}),
		...(schedule && 'at' in schedule && { scheduledAt: schedule.at }),
	};
	return { fields, sendOnceKey: 'key' in once ? once.key : null };
}
