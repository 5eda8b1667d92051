import type { IExecuteFunctions } from 'n8n-workflow';

import { newestConsents } from '../shared/consents/newest';
import { field, readFlag } from '../shared/fields/field';
import { invalidItem } from '../shared/items/invalidItem';
import type { Recipient } from '../shared/recipients/recipients';

export const requireConsentField = field(
	{
		displayName: 'Require Consent',
		name: 'requireConsent',
		type: 'boolean',
		default: true,
		description:
			'Whether to reject items with a registered letter (LRE) to a person whose newest consent is not accepted. The law requires consent before a registered electronic letter to a private person; other types of letters, and letters to companies, need none. The node reads the list of consents once for all items.',
	},
	readFlag,
);

/**
 * Checks that each person among the recipients of a registered letter has consented (rule CONS-07).
 *
 * @throws InvalidItem, or ServiceFailed if the consents cannot be listed
 */
export async function assertConsent(
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
	if (missing.length > 0) throw invalidItem(requireConsentField.displayName, ...missing);
}
