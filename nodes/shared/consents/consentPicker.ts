import type { INodeProperties } from 'n8n-workflow';

import { picker, readRequired } from '../fields/picker';

/** Lets the user choose a consent from a list or by ID. */
export function consentPicker(
	description: string,
	search: 'searchPendingConsents' | 'searchRemindableConsents',
): INodeProperties {
	const field = { displayName: 'Consent', name: 'consentId', required: true, description };
	return picker(field, 'consent', search);
}

export const readConsentId = readRequired('consent');
