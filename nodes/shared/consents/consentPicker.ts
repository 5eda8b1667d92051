import type { Field } from '../fields/field';
import { picker } from '../fields/picker';

/** Lets the user choose a consent from a list or by ID. */
export function consentPicker(
	description: string,
	search: 'searchPendingConsents' | 'searchRemindableConsents',
): Field<string> {
	const property = { displayName: 'Consent', name: 'consentId', required: true, description };
	return picker(property, 'consent', search);
}
