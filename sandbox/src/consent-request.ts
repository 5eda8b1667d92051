import { z } from 'zod/v4';
import { judgeContacts } from './contacts.ts';
import { badConsentRecipients } from './errors.ts';
import { checked } from './field-errors.ts';
import {
	CONSENT_STATES,
	CONSENT_TYPES,
	type ConsentState,
	type ConsentType,
	type Contact,
} from './model.ts';

const MAX_DELAY_DAYS = 36_500;

/** Rule CONS-03: the configured default is not shown; this is ours. */
export const DEFAULT_DELAY_DAYS = 30;

/** Section POST /consents/bulkStore; recipients are judged one by one, so that each error has a place. */
export const consentFields = z.object({
	type: z.enum(CONSENT_TYPES),
	delayInDays: z.number().int().min(0).max(MAX_DELAY_DAYS).nullish(),
	recipients: z.array(z.unknown()).min(1),
	state: z.enum(CONSENT_STATES).nullish(),
	/** Design, open points: the field that carries the customer id is not shown. */
	sender: z.string().nullish(),
});

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

/** Checks everything the request says by itself (rules CONS-01 to CONS-05). */
export function readConsentRequest(sent: object): ConsentRequest {
	const { type, delayInDays, recipients, state, sender } = checked(consentsSchema, sent);
	const isManual = type === 'MANUAL';
	const { contacts, wrong } = judgeContacts(recipients, 'LS');
	if (wrong.length > 0) throw badConsentRecipients(wrong);
	return {
		type,
		delayInDays: delayInDays ?? (isManual ? null : DEFAULT_DELAY_DAYS),
		// What is asked for is not answered yet, whatever the request says.
		state: (isManual ? state : null) ?? 'PENDING',
		sender: sender || null,
		contacts,
	};
}
