import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { addressKey } from '../../webhook-receiver/src/core/address';
import type { UsedFor } from '../../webhook-receiver/src/core/used-for';
import { newestConsents } from '../shared/consents/newest';
import { FieldReader, parametersOf } from '../shared/fields/field';
import {
	CREDENTIAL_LABEL,
	InvalidItem,
	invalidItem,
	type ItemProblem,
} from '../shared/fields/invalidItem';
import { readRecipients, RECIPIENTS, type Recipient } from '../shared/recipients/recipients';
import { readInputFiles, type StoredFile } from '../shared/items/inputFiles';
import { claimKey } from '../shared/sending/claims';
import type { Entry } from '../shared/sending/entry';
import type { InspectedCredential } from '../shared/transport/credential';
import { bodyProblem } from './letterBody';
import { attachmentsField, bodyField, letterOptions, typeField } from './letterFields';

/** A checked letter, ready to go out (interface, Send request). */
export interface Letter {
	/** Fields of the request except recipients and files, by the interface's names. */
	fields: { type: string; body: string } & Partial<{
		fileReference: string;
		customerReference: string;
		sender: string;
		includeSenderLogo: boolean;
		scheduledAt: string;
	}>;
	recipients: Recipient[];
	attachments: StoredFile[];
}

/** The letter of an input item. */
export interface LetterEntry extends Entry {
	letter: Letter;
}

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
	inspected: InspectedCredential,
): Promise<LetterReading> {
	const { credential, problem: unusable, registeredProblem } = inspected;
	const item = new FieldReader(context, parametersOf(context, itemIndex));
	if (unusable !== null) item.complain(CREDENTIAL_LABEL, unusable);

	const { chosen, body, names } = item.fields({
		chosen: typeField,
		body: bodyField,
		names: attachmentsField,
	});
	const isRegistered = chosen === 'LRE';
	const isTracked = chosen === 'AES' || chosen === 'MT';
	// An unusable credential is already a problem.
	if (isRegistered && unusable === null && registeredProblem !== null) {
		item.complain(CREDENTIAL_LABEL, registeredProblem);
	}
	const wrongBody = body === null ? null : bodyProblem(body, isTracked);
	if (wrongBody !== null) item.complain(bodyField.displayName, wrongBody);
	const people = await item.attempt(RECIPIENTS, () =>
		readRecipients(context, itemIndex, isRegistered),
	);
	const attachments = names
		? await item.attempt(attachmentsField.displayName, () =>
				readAttachments(context, itemIndex, names, isTracked),
			)
		: [];
	const { sendOnceKey, requireConsent, ...about } = item.options(letterOptions);
	// Of the run, and read again with its settings.
	delete about.maxLetters;
	if (isRegistered && about.sender !== undefined) {
		item.complain(letterOptions.sender.displayName, NOT_FOR_CUSTOMERS);
	}
	if (isRegistered && requireConsent === true && unusable === null && people !== null) {
		const { recipients } = people;
		await item.attempt(letterOptions.requireConsent.displayName, () =>
			assertConsent(context, recipients),
		);
	}

	const { problems } = item;
	const warnings = people?.warnings ?? [];
	const type = isTracked ? (credential.trackedMailSpelling ?? 'AES') : chosen;
	if (problems.length > 0 || !type || body === null || !people || !attachments) {
		return { type, entry: null, problems, warnings };
	}
	const { recipients } = people;
	const letter: Letter = { fields: { type, body, ...about }, recipients, attachments };
	const entry: LetterEntry = { itemIndex, letter, warnings };
	if (sendOnceKey !== undefined) {
		entry.once = claimKey(sendOnceKey, usedForOf(inspected, letter));
	}
	return { type, entry, problems, warnings };
}

/**
 * The letter of an item, to be sent.
 *
 * @throws InvalidItem with all that prevents it
 */
export async function prepareLetter(
	context: IExecuteFunctions,
	itemIndex: number,
	inspected: InspectedCredential,
): Promise<LetterEntry> {
	const { entry, problems } = await readLetter(context, itemIndex, inspected);
	if (entry === null) throw new InvalidItem(problems);
	return entry;
}

const NOT_FOR_CUSTOMERS =
	'The service currently does not send registered letters (LRE) for a customer. Send it from your own account, without Sender.';

async function readAttachments(
	context: IExecuteFunctions,
	itemIndex: number,
	names: string,
	isTrackedMail: boolean,
): Promise<StoredFile[]> {
	const { displayName } = attachmentsField;
	const typed = names.split(',').map((name) => name.trim());
	const fields = typed.filter((name) => name !== '');
	const files = await readInputFiles(context, itemIndex, displayName, fields);
	if (isTrackedMail && files.length > 1) {
		throw invalidItem(displayName, `Tracked mail takes one attachment; there are ${files.length}.`);
	}
	return files;
}

/**
 * Checks that each person among the recipients of a registered letter has consented (rule CONS-07).
 *
 * @throws InvalidItem, or ServiceFailed if the consents cannot be listed
 */
async function assertConsent(
	context: IExecuteFunctions,
	recipients: readonly Recipient[],
): Promise<void> {
	const persons = recipients.filter(({ company }) => company === undefined);
	if (persons.length === 0) return;
	const consents = await newestConsents(context);
	const missing = persons.flatMap(({ email }) => {
		const state = consents.of(email)?.state;
		if (state === 'ACCEPTED') return [];
		const found = state === undefined ? 'there is none' : `the newest is ${state}`;
		return `A registered letter (LRE) to ${email} needs an accepted consent, but ${found}. Ask for it with an Await Consent node before this one.`;
	});
	if (missing.length > 0) throw invalidItem(letterOptions.requireConsent.displayName, ...missing);
}

/** Addresses that an error names. */
const MOST_NAMED = 3;

/**
 * What a Send Once Key is used for in a letter: all that must not change under it. Not the content,
 * which may be another at each try.
 */
function usedForOf(
	{ id, credential: { baseUrl: service, apiToken } }: InspectedCredential,
	{ fields: { type, sender }, recipients }: Letter,
): UsedFor {
	// A renewed token keeps the credential; another n8n with the same token has another credential.
	const names = [id && ['credential', id], ['token', service, apiToken]];
	const emails = recipients.map(({ email }) => email);
	const keys = emails.map(addressKey).sort();
	const more = emails.length > MOST_NAMED ? ` and ${emails.length - MOST_NAMED} more` : '';
	return {
		service,
		accounts: names.flatMap((name) => (name ? [digest(name)] : [])),
		sender: sender ?? null,
		type,
		recipients: digest(keys),
		to: (emails.slice(0, MOST_NAMED).join(', ') + more).slice(0, 300),
	};
}

function digest(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
