import type { IExecuteFunctions } from 'n8n-workflow';

import { readSender } from '../shared/fields/customerPicker';
import { Options } from '../shared/fields/options';
import { parameterOf, readParameter } from '../shared/fields/parameter';
import { readText, type Reading } from '../shared/fields/reading';
import { readSchedule } from '../shared/fields/schedule';
import {
	CREDENTIAL,
	invalidItem,
	ItemProblems,
	type ItemProblem,
} from '../shared/items/invalidItem';
import { identifierWarnings } from '../shared/recipients/checkDigits';
import { readRecipients, RECIPIENTS } from '../shared/recipients/recipientParameter';
import {
	fieldNames,
	MAX_ATTACHMENT_BYTES,
	readAttachments,
	type StoredFile,
} from '../shared/sending/attachments';
import { bodyProblem } from '../shared/sending/letterBody';
import { usedForOf } from '../shared/sending/usedFor';
import {
	certificateProblem,
	credentialProblem,
	hintAtExpiry,
} from '../shared/transport/credentialCheck';
import { receiverProblem } from '../shared/transport/receiver';
import { readCredential } from '../shared/transport/service';
import { totalSize, type Letter } from './letter';
import { attachmentsField, bodyField, typeField } from './letterFields';
import { readMaxLetters } from './maxLetters';
import { assertConsent, requireConsentField } from './requireConsent';
import type { LetterEntry } from './sendPosting';

/** A letter that can go out, or everything that prevents it. */
export interface LetterReading {
	/** Type as it would be sent; null if invalid. */
	type: string | null;
	/** Null when there are problems. */
	entry: LetterEntry | null;
	problems: ItemProblem[];
	/** What the user should check, though it does not prevent sending. */
	warnings: ItemProblem[];
}

/** Reads the letter of an item and checks all of it. Sends nothing. */
export async function readLetter(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<LetterReading> {
	const problems = new ItemProblems();
	const now = new Date();
	const credential = await readCredential(context);
	const unusable = credentialProblem(credential);
	problems.add(CREDENTIAL, unusable);
	if (itemIndex === 0) hintAtExpiry(context, credential, now);

	const kind = await problems.collect('Type', null, () =>
		readParameter(context, itemIndex, typeField, readKind),
	);
	// An unusable credential is already a problem.
	if (kind === 'LRE' && unusable === null) {
		problems.add(CREDENTIAL, certificateProblem(credential, now));
	}
	const isTracked = kind === 'tracked';
	const type = isTracked ? (credential.trackedMailSpelling ?? 'AES') : kind;
	const body = await problems.collect('Body', '', () =>
		readParameter(context, itemIndex, bodyField, (value) => readBody(value, isTracked)),
	);
	const recipients = await problems.collect(RECIPIENTS, [], () =>
		readRecipients(context, itemIndex, kind === 'LRE'),
	);
	const attachments = await problems.collect(
		'Attachment Fields',
		[],
		async () => await readFiles(context, itemIndex, isTracked),
	);
	const options = await readOptions(context, itemIndex, problems, kind);
	if (kind === 'LRE' && options.requiresConsent && unusable === null) {
		const { displayName } = requireConsentField;
		await problems.collect(displayName, null, async () => {
			await assertConsent(context, recipients);
			return null;
		});
	}
	const found = { type, problems: problems.list, warnings: identifierWarnings(recipients) };
	if (problems.list.length > 0 || type === null) return { ...found, entry: null };
	const { fields, onceKey } = options;
	const letter: Letter = { fields: { type, body, ...fields }, recipients, attachments };
	const emails = recipients.map(({ email }) => email);
	const once =
		onceKey === null
			? null
			: {
					text: onceKey,
					usedFor: usedForOf(context, credential, { type, sender: fields.sender, emails }),
				};
	return { ...found, entry: { itemIndex, letter, once } };
}

type LetterKind = 'LRE' | 'LS' | 'AS' | 'tracked';

// Both spellings of tracked mail mean the same; the credential says which one goes out (TYPE-06).
function readKind(value: unknown): Reading<LetterKind> {
	if (value === 'AES' || value === 'MT') return { value: 'tracked' };
	if (value === 'LRE' || value === 'LS' || value === 'AS') return { value };
	return { problem: 'It must be LRE, LS, AS, AES or MT.' };
}

// Sent unchanged, including spaces at its ends.
function readBody(value: unknown, isTrackedMail: boolean): Reading<string> {
	const reading = readText(value);
	if ('problem' in reading) return reading;
	const html = String(value ?? '');
	const problem = bodyProblem(html, isTrackedMail);
	return problem === null ? { value: html } : { problem };
}

// Without attachments it is an empty text. An expression that gives nothing meant one, and the letter must
// not go without it.
function readFieldNames(value: unknown): Reading<string> {
	if (value !== undefined && value !== null) return readText(value);
	return { problem: `It is ${value} for this item. For no attachments it must be an empty text.` };
}

async function readFiles(
	context: IExecuteFunctions,
	itemIndex: number,
	isTrackedMail: boolean,
): Promise<StoredFile[]> {
	const { displayName } = attachmentsField;
	const names = fieldNames(readParameter(context, itemIndex, attachmentsField, readFieldNames));
	const files = await readAttachments(context, itemIndex, displayName, names);
	const total = totalSize(files);
	if (isTrackedMail && files.length > 1) {
		throw invalidItem(displayName, `Tracked mail takes one attachment; there are ${files.length}.`);
	}
	if (total > MAX_ATTACHMENT_BYTES) {
		const size = Math.ceil(total / 1024 / 1024);
		throw invalidItem(displayName, `The files are ${size} MB in total; the maximum is 250 MB.`);
	}
	return files;
}

interface LetterOptions {
	fields: Partial<Letter['fields']>;
	onceKey: string | null;
	requiresConsent: boolean;
}

async function readOptions(
	context: IExecuteFunctions,
	itemIndex: number,
	problems: ItemProblems,
	kind: LetterKind | null,
): Promise<LetterOptions> {
	const collection = await problems.collect('Options', { value: {}, raw: {} }, () =>
		parameterOf(context, itemIndex, 'options', {}),
	);
	const options = new Options(collection, (option, problem) => problems.add(option, problem));
	const sender = readSender(options);
	if (sender !== undefined && kind === 'LRE') {
		problems.add(
			'Sender',
			'The service currently does not send registered letters (LRE) for a customer. Send it from your own account, without Sender.',
		);
	}
	const fields = {
		fileReference: options.text('fileReference', 'File Reference'),
		customerReference: options.text('customerReference', 'Customer Reference'),
		sender,
		includeSenderLogo: options.flag('includeSenderLogo', 'Include Sender Logo'),
		scheduledAt: options.read('scheduledAt', 'Scheduled At', (value) =>
			readSchedule(value, context.getTimezone(), new Date()),
		),
	};
	const onceKey = options.text('sendOnceKey', 'Send Once Key') ?? null;
	const { name, displayName } = requireConsentField;
	const requiresConsent = options.flag(name, displayName) === true;
	readMaxLetters(options);
	// Checked here, since it is too late once the letter is sent.
	if (options.flag('watch', 'Watch') === true) {
		problems.add('Watch', await receiverProblem(context));
	}
	const given = Object.entries(fields).filter(([, value]) => value !== undefined);
	return { fields: Object.fromEntries(given), onceKey, requiresConsent };
}
