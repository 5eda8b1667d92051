import { z } from 'zod/v4';
import { judgeContacts, recipientSchema } from '../http/contacts.ts';
import { badConsentRecipients } from '../http/errors.ts';
import { checked } from '../http/field-errors.ts';
import {
	CONSENT_STATES,
	CONSENT_TYPES,
	type ConsentState,
	type ConsentType,
	type Contact,
} from '../state/model.ts';

const MAX_DELAY_DAYS = 36_500;

/** Rule CONS-03: the interface does not show the configured default; this is ours. */
export const DEFAULT_DELAY_DAYS = 30;

/**
 * Section POST /consents/bulkStore. Recipients are checked one by one: each error has a position.
 */
const consentFields = z.object({
	type: z.enum(CONSENT_TYPES),
	delayInDays: z.number().int().min(0).max(MAX_DELAY_DAYS).nullish(),
	recipients: z.array(z.unknown()).min(1),
	state: z.enum(CONSENT_STATES).nullish(),
	/** Design, open points: the interface does not show which field carries the customer id. */
	sender: z.uuid().nullish(),
});

/** The whole request, recipients included. */
export const consentBody = consentFields.extend({ recipients: z.array(recipientSchema).min(1) });

const consentsSchema = consentFields.refine(
	({ type, state }) => type !== 'MANUAL' || state != null,
	{
		path: ['state'],
		message: 'needed for MANUAL',
		params: { rule: 'required' },
	},
);

export interface ConsentRequest {
	type: ConsentType;
	delayInDays: number | null;
	state: ConsentState;
	sender: string | null;
	contacts: Contact[];
}

/** Checks everything the request alone can tell (rules CONS-01 to CONS-05). */
export function readConsentRequest(sent: object): ConsentRequest {
	const { type, delayInDays, recipients, state, sender } = checked(consentsSchema, sent);
	const isManual = type === 'MANUAL';
	const { contacts, wrong } = judgeContacts(recipients, 'LS');
	if (wrong.length > 0) throw badConsentRecipients(wrong);
	return {
		type,
		delayInDays: delayInDays ?? (isManual ? null : DEFAULT_DELAY_DAYS),
		// A consent requested from a contact starts unanswered, whatever the request says.
		state: (isManual ? state : null) ?? 'PENDING',
		sender: sender ?? null,
		contacts,
	};
}
