import type { INodeProperties } from 'n8n-workflow';

import { consentPicker } from '../shared/pickers/consentPicker';
import { delayField } from '../shared/consents/request';
import { senderField } from '../shared/pickers/customerPicker';
import { choiceField, field, readFlag } from '../shared/fields/field';
import { notice } from '../shared/fields/notice';
import { amountField, wholeNumberField } from '../shared/fields/numberField';
import { optionsField } from '../shared/items/operation';
import { singleRecipientFields } from '../shared/recipients/recipientFields';
import { deadlineFields } from '../shared/waiting/deadline';
import { routeItemsField } from '../shared/waiting/outputs';

export const askByField = choiceField({
	displayName: 'Ask By',
	name: 'askBy',
	options: [
		{
			name: 'Email',
			value: 'email',
			description:
				'The service asks the contact by email, unless the contact has answered or been asked before',
		},
		{
			name: 'Link or Earlier Request',
			value: 'request',
			description:
				'Wait for the answer to an earlier request from Request Consent, for example one with a link',
		},
	],
	default: 'email',
	description: 'How the contact is asked for consent to letters in electronic form',
});

export const consentIdField = {
	...consentPicker(
		'The consent that Request Consent returned. For a link, pass on its "consentUrl" before this node, for example by an email node.',
		'searchPendingConsents',
	),
	displayOptions: { show: { askBy: ['request'] } },
};

/** What an item says of its contact. */
export const contactOptions = {
	askAgain: field(
		{
			displayName: 'Ask Again After Refusal',
			name: 'askAgainAfterRefusal',
			type: 'boolean',
			default: true,
			description:
				"Whether to ask contacts again if their newest consent is refused. Otherwise they leave through 'Refused' at once.",
		},
		readFlag,
	),
	delayInDays: delayField,
	sender: senderField(
		'the customer on whose behalf to ask, who must have accepted the delegation',
		'searchAcceptedCustomers',
	),
};

/** Each reminder wakes the execution once. */
const MOST_REMINDERS = 10;

/** What the first item says of all. */
export const reminderOptions = {
	remindAfterDays: amountField({
		displayName: 'Remind After (Days)',
		name: 'remindAfterDays',
		default: 7,
		description:
			'After how many days to remind contacts who have not answered. Only requests by email can be reminded. Counts for all items.',
	}),
	reminders: wholeNumberField(
		{
			displayName: 'Reminders',
			name: 'reminders',
			default: 1,
			description:
				'With "Remind After (Days)": how many reminders to send at most, each that many days after the previous one. None is sent after the deadline.',
		},
		1,
		MOST_REMINDERS,
	),
};

export const routeItems = routeItemsField(
	'Each item leaves through the output for its own contact',
	"All items leave through 'Accepted' only if every contact has consented. The worst outcome is No Answer, then Refused.",
);

export const awaitConsentFields: INodeProperties[] = [
	notice(
		'sleepNotice',
		'The execution sleeps until all contacts have answered or the deadline passes. Those who have already consented are not asked',
		'nodes/await-consent.md',
	),
	askByField,
	...singleRecipientFields({ askBy: ['email'] }),
	consentIdField,
	...deadlineFields('Contacts who have not answered', 'No Answer'),
	optionsField({
		...contactOptions,
		...reminderOptions,
		routeItems,
	}),
];
