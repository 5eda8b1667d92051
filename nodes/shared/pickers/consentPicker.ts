import type { IDataObject } from 'n8n-workflow';

import type { Field } from '../fields/field';
import { listSearch } from './listSearch';
import { picker } from '../fields/picker';

/** Lets the user choose a consent from a list or by ID. */
export function consentPicker(
	description: string,
	search: 'searchPendingConsents' | 'searchRemindableConsents',
): Field<string> {
	const property = { displayName: 'Consent', name: 'consentId', required: true, description };
	return picker(property, 'consent', search);
}

/** Consents that have no answer yet, for the picker (interface, GET /consents; rule CONS-07). */
export const searchPendingConsents = listSearch({
	path: '/consents',
	nameOf: (consent) => (isPending(consent) ? contactName(consent) : null),
});

/** Pending consents requested by email, so that the contact can be reminded (rule CONS-08). */
export const searchRemindableConsents = listSearch({
	path: '/consents',
	nameOf: (consent) =>
		consent.type === 'EMAIL' && isPending(consent) ? contactName(consent) : null,
});

function isPending({ state }: IDataObject): boolean {
	return state === 'PENDING';
}

function contactName({ firstName, lastName, company, email }: IDataObject): string {
	const name = String(company || [firstName, lastName].filter(Boolean).join(' '));
	return name === '' ? String(email) : `${name} (${String(email)})`;
}
