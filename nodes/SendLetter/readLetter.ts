import type { IExecuteFunctions } from 'n8n-workflow';

import {
	MAX_ATTACHMENT_BYTES,
	fieldNames,
	readAttachments,
	type StoredFile,
} from '../shared/attachments';
import { certificateProblem, credentialProblem, hintAtExpiry } from '../shared/credentialCheck';
import { customerOption } from '../shared/customerPicker';
import { CREDENTIAL, Findings, type ItemProblem } from '../shared/findings';
import { bodyProblem } from '../shared/letterBody';
import { RECIPIENTS, checkRecipients } from '../shared/recipientParameter';
import { readSchedule } from '../shared/schedule';
import { Options } from '../shared/options';
import { receiverProblem } from '../shared/receiver';
import { readCredential } from '../shared/service';
import { readText } from '../shared/text';
import { totalSize, type Letter } from './letter';
import { readMaxLetters } from './maxLetters';
import type { LetterEntry } from './sendPosting';

/** A letter that can go out, or everything that keeps it from doing so. */
export interface LetterReading {
	/** Type as it would go out, or null when it is none. */
	type: string | null;
	/** Null when there are problems. */
	entry: LetterEntry | null;
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
	const body = findings.read('Body', null, () => readBody(context, itemIndex));
	if (body !== null && 'problem' in body) findings.add('Body', body.problem);
	if (body !== null && 'html' in body) findings.add('Body', bodyProblem(body.html, isTracked));

	const recipients = readLetterRecipients(context, itemIndex, findings, kind === 'LRE');
	const attachments = await readLetterAttachments(context, itemIndex, findings, isTracked);
	const options = await readOptions(context, itemIndex, findings, kind ?? null);
	const { problems } = findings;
	if (problems.length > 0 || type === null || body === null || 'problem' in body) {
		return { type, entry: null, problems };
	}
	const fields = { type, body: body.html, ...options.fields };
	const letter = { recipients, attachments, fields };
	return { type, entry: { itemIndex, letter, onceKey: options.onceKey }, problems };
}

// Sent as it is, spaces at its ends included: only what it is decides.
function readBody(
	context: IExecuteFunctions,
	itemIndex: number,
): { html: string } | { problem: string } {
	const value: unknown = context.getNodeParameter('body', itemIndex, '');
	const reading = readText(value);
	return 'problem' in reading ? reading : { html: String(value ?? '') };
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
	const problem = (message: string) => findings.add('Attachment Fields', message);
	const names = findings.read('Attachment Fields', [], () => {
		const reading = readText(context.getNodeParameter('attachmentFields', itemIndex, ''));
		if ('text' in reading) return fieldNames(reading.text);
		problem(reading.problem);
		return [];
	});
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

async function readOptions(
	context: IExecuteFunctions,
	itemIndex: number,
	findings: Findings,
	kind: LetterKind | null,
): Promise<{ fields: Partial<Letter['fields']>; onceKey: string | null }> {
	const values = findings.read('Options', {}, () =>
		context.getNodeParameter('options', itemIndex, {}),
	);
	const options = new Options(values, (option, problem) => findings.add(option, problem));
	const sender = customerOption(options, 'sender', 'Sender');
	if (sender !== undefined && kind === 'LRE') {
		findings.add(
			'Sender',
			'The service does not send registered letters (LRE) for a customer at present. Send it from your own account, without Sender.',
		);
	}
	const fields = {
		fileReference: options.text('fileReference', 'File Reference'),
		customerReference: options.text('customerReference', 'Customer Reference'),
		sender,
		includeSenderLogo: options.flag('includeSenderLogo', 'Include Sender Logo'),
		scheduledAt: options.read('scheduledAt', 'Scheduled At', (value) => {
			const schedule = readSchedule(value, context.getTimezone(), new Date());
			return 'at' in schedule ? { value: schedule.at } : schedule;
		}),
	};
	const onceKey = options.text('sendOnceKey', 'Send Once Key') ?? null;
	options.read('maxLetters', 'Max Letters', readMaxLetters);
	// Once the letter has left it is too late to say so.
	if (options.flag('watch', 'Watch') === true) {
		findings.add('Watch', await receiverProblem(context));
	}
	const given = Object.entries(fields).filter(([, value]) => value !== undefined);
	return { fields: Object.fromEntries(given), onceKey };
}
