import type { IExecuteFunctions } from 'n8n-workflow';

import { newestConsents, type NewestConsents } from '../shared/consents/newest';
import { readConsentId } from '../shared/consents/consentPicker';
import { readDelay, type Terms } from '../shared/consents/request';
import { readSender } from '../shared/fields/customerPicker';
import { Options } from '../shared/fields/options';
import { readParameter } from '../shared/fields/parameter';
import { aboveZero, oneOf, wholeNumber, type Reading } from '../shared/fields/reading';
import { invalidItem } from '../shared/items/invalidItem';
import { readRecipients } from '../shared/recipients/recipientParameter';
import type { Recipient } from '../shared/recipients/recipients';
import { checkedCredential } from '../shared/transport/credentialCheck';
import { decideForContact, decideForRequest, type Decision } from './decide';
import {
	askAgainField,
	askByField,
	consentIdField,
	remindAfterField,
	remindersField,
} from './fields';

/** What to do about an item's contact. */
export type Contact = Exclude<Decision, 'ask'> | { ask: { recipient: Recipient; terms: Terms } };

/**
 * Reads the contact of an item, and what the service knows of its consent. Asks nobody.
 *
 * @throws InvalidItem, or ServiceFailed if the consents cannot be listed
 */
export async function readContact(context: IExecuteFunctions, itemIndex: number): Promise<Contact> {
	await checkedCredential(context);
	const options = Options.of(context, itemIndex);
	const sender = readSender(options);
	const askBy = readParameter(context, itemIndex, askByField, oneOf(['email', 'request']));
	if (askBy === 'request') {
		const id = readParameter(context, itemIndex, consentIdField, readConsentId);
		return decideForRequest(listed(await newestConsents(context, sender), id));
	}
	const recipient = readRecipient(context, itemIndex);
	const delayInDays = readDelay(options);
	const asksAgain = options.flag(askAgainField.name, askAgainField.displayName) === true;
	const newest = (await newestConsents(context, sender)).of(recipient.email);
	const decision = decideForContact(newest, asksAgain);
	if (decision !== 'ask') return decision;
	const terms = {
		type: 'EMAIL',
		...(delayInDays !== undefined && { delayInDays }),
		...(sender !== undefined && { sender }),
	};
	return { ask: { recipient, terms } };
}

function listed(consents: NewestConsents, id: string) {
	const consent = consents.withId(id);
	if (consent !== null) return consent;
	throw invalidItem(
		consentIdField.displayName,
		`The service lists no consent "${id}". It lists only the newest of each contact: the contact may have been asked again since.`,
	);
}

function readRecipient(context: IExecuteFunctions, itemIndex: number): Recipient {
	const names = { form: 'Recipient', json: 'Recipient' };
	const recipients = readRecipients(context, itemIndex, false, names);
	if (recipients.length === 1) return recipients[0];
	throw invalidItem(
		names.json,
		`Each item waits for one contact; there are ${recipients.length}. Split them into items, for example with a Split Out node.`,
	);
}

/** How often to remind, and how many days apart; null for never. */
export function readReminders(context: IExecuteFunctions): { days: number; count: number } | null {
	const options = Options.of(context, 0);
	const count = options.read(remindersField.name, remindersField.displayName, readCount) ?? 1;
	const days = options.read(remindAfterField.name, remindAfterField.displayName, aboveZero);
	return days === undefined ? null : { days, count };
}

/** Each reminder wakes the execution once. */
const MOST_REMINDERS = remindersField.typeOptions.maxValue;

function readCount(value: unknown): Reading<number> {
	const count = wholeNumber(1)(value);
	if ('problem' in count || count.value <= MOST_REMINDERS) return count;
	return { problem: `It is ${count.value}; at most ${MOST_REMINDERS} are possible.` };
}
