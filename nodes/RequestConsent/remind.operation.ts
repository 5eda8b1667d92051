import { consentPicker } from '../shared/pickers/consentPicker';
import { reminderPosting, type Reminder } from '../shared/consents/reminder';
import { readField } from '../shared/fields/field';
import type { NodeOperation } from '../shared/items/operation';
import { sending } from '../shared/sending/send';

const consentIdField = consentPicker(
	'The consent request to remind the contact of. It must be pending and of type email.',
	'searchRemindableConsents',
);

/** Reminds a contact by email (interface, POST /consents/{id}/remind; rule CONS-08). */
export const remind: NodeOperation = {
	name: 'Remind Contact',
	value: 'remind',
	description: 'Remind a contact of a consent request by email',
	action: 'Remind contact of consent request',
	fields: [consentIdField],
	execute: sending<Reminder>({
		posting: reminderPosting,
		settings: () => ({ concurrency: 1 }),
		prepare(context, itemIndex) {
			const consentId = readField(context, itemIndex, consentIdField);
			return { itemIndex, consentId };
		},
	}),
};
