import type { IExecuteFunctions } from 'n8n-workflow';

import { newestConsents, type NewestConsents } from '../shared/consents/newest';
import { readField, readOptions } from '../shared/fields/field';
import { invalidItem } from '../shared/fields/invalidItem';
import { readRecipients } from '../shared/recipients/recipients';
import { usableCredential } from '../shared/transport/credential';
import type { Asking } from './askContacts';
import { decideForContact, decideForRequest, type Decision } from './decideForContact';
import { askByField, consentIdField, contactOptions, reminderOptions } from './awaitConsentFields';

/** What to do about an item's contact, with what it takes to ask. */
type ContactDecision = Exclude<Decision, 'ask'> | { ask: Omit<Asking, 'item'> };

/**
 * Reads the contact of an item, and what the service knows of its consent. Asks nobody.
 *
 * @throws InvalidItem, or ServiceFailed if the consents cannot be listed
 */
export async function readContact(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<ContactDecision> {
	await usableCredential(context);
	const { askAgain, delayInDays, sender } = readOptions(context, itemIndex, contactOptions);
	const askBy = readField(context, itemIndex, askByField);
	if (askBy === 'request') {
		const id = readField(context, itemIndex, consentIdField);
		return decideForRequest(consentWithId(await newestConsents(context, sender), id));
	}
	const { recipient, warnings } = readOneRecipient(context, itemIndex);
	const newest = (await newestConsents(context, sender)).of(recipient.email);
	const decision = decideForContact(newest, askAgain === true);
	if (decision !== 'ask') return decision;
	const terms = {
		type: 'EMAIL',
		...(delayInDays !== undefined && { delayInDays }),
		...(sender !== undefined && { sender }),
	};
	return { ask: { recipient, terms, warnings, after: newest?.id ?? null } };
}

function consentWithId(consents: NewestConsents, id: string) {
	const consent = consents.withId(id);
	if (consent !== null) return consent;
	throw invalidItem(
		consentIdField.displayName,
		`The service lists no consent "${id}". It lists only the newest of each contact: the contact may have been asked again since.`,
	);
}

function readOneRecipient(context: IExecuteFunctions, itemIndex: number) {
	const names = { form: 'Recipient', json: 'Recipient' };
	const { recipients, warnings } = readRecipients(context, itemIndex, false, names);
	if (recipients.length === 1) return { recipient: recipients[0], warnings };
	throw invalidItem(
		names.json,
		`Each item waits for one contact; there are ${recipients.length}. Split them into items, for example with a Split Out node.`,
	);
}

/** How often to remind, and how many days apart; null for never. */
export function readReminders(context: IExecuteFunctions): { days: number; count: number } | null {
	const { reminders = 1, remindAfterDays } = readOptions(context, 0, reminderOptions);
	return remindAfterDays === undefined ? null : { days: remindAfterDays, count: reminders };
}
