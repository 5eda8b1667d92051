import type { IExecuteFunctions } from 'n8n-workflow';

import { newestConsents, type NewestConsents } from '../shared/consents/newest';
import type { ConsentRequest } from '../shared/consents/request';
import { readField, readOptions } from '../shared/fields/field';
import { invalidItem } from '../shared/fields/invalidItem';
import { readRecipients, type Recipient } from '../shared/recipients/recipients';
import { usableCredential } from '../shared/transport/credential';
import { decideForContact, decideForRequest, type Decision } from './decideForContact';
import { askByField, consentIdField, contactOptions, reminderOptions } from './awaitConsentFields';

/** What to do about an item's contact. */
export type Contact =
	| Exclude<Decision, 'ask'>
	| {
			ask: Pick<ConsentRequest, 'terms' | 'warnings'> & {
				recipient: Recipient;
				/** The newest consent of the contact so far, if there is one. */
				after: string | null;
			};
	  };

/**
 * Reads the contact of an item, and what the service knows of its consent. Asks nobody.
 *
 * @throws InvalidItem, or ServiceFailed if the consents cannot be listed
 */
export async function readContact(context: IExecuteFunctions, itemIndex: number): Promise<Contact> {
	await usableCredential(context);
	const { askAgain, delayInDays, sender } = readOptions(context, itemIndex, contactOptions);
	const askBy = readField(context, itemIndex, askByField);
	if (askBy === 'request') {
		const id = readField(context, itemIndex, consentIdField);
		return decideForRequest(listed(await newestConsents(context, sender), id));
	}
	const { recipient, warnings } = readRecipient(context, itemIndex);
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

function listed(consents: NewestConsents, id: string) {
	const consent = consents.withId(id);
	if (consent !== null) return consent;
	throw invalidItem(
		consentIdField.displayName,
		`The service lists no consent "${id}". It lists only the newest of each contact: the contact may have been asked again since.`,
	);
}

function readRecipient(context: IExecuteFunctions, itemIndex: number) {
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
