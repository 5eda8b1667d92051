import type { IExecuteFunctions } from 'n8n-workflow';

import {
	delayField,
	requestPosting,
	type ConsentRequest,
	type Terms,
} from '../shared/consents/request';
import { senderField } from '../shared/pickers/customerPicker';
import {
	choiceField,
	field,
	readField,
	readOptions,
	readText,
	type Reading,
} from '../shared/fields/field';
import { optionsField, type NodeOperation } from '../shared/items/operation';
import { recipientFields } from '../shared/recipients/recipientFields';
import { readRecipients } from '../shared/recipients/recipients';
import { sending } from '../shared/sending/send';

const typeField = choiceField({
	displayName: 'Type',
	name: 'type',
	options: [
		{ name: 'Email', value: 'EMAIL', description: 'The service asks the recipient by email' },
		{
			name: 'Link',
			value: 'LINK',
			description: 'You get a link and pass it to the recipient yourself',
		},
		{
			name: 'Manual',
			value: 'MANUAL',
			description: 'You record a consent that was given or requested elsewhere',
		},
	],
	default: 'EMAIL',
	required: true,
	description: 'How to ask the recipient to agree to letters in electronic form',
});

const stateField = field(
	{
		displayName: 'State',
		name: 'state',
		type: 'options',
		options: [
			{ name: 'Accepted', value: 'ACCEPTED', description: 'The recipient has agreed' },
			{ name: 'Pending', value: 'PENDING', description: 'The recipient has not answered yet' },
		],
		default: 'ACCEPTED',
		required: true,
		description: 'State of the consent you record',
		displayOptions: { show: { type: ['MANUAL'] } },
	},
	readState,
);

/** What an item says of its request. */
const itemOptions = {
	delayInDays: delayField,
	sender: senderField(
		'the customer on whose behalf to ask, who must have accepted the delegation',
		'searchAcceptedCustomers',
	),
};

/** Asks for consents (interface, POST /consents/bulkStore; rules CONS-01 to CONS-06). */
export const create: NodeOperation = {
	name: 'Create Consent Requests',
	value: 'create',
	description:
		'Ask contacts for their consent by email or by a link, or record one given elsewhere',
	action: 'Create consent requests',
	fields: [
		typeField,
		stateField,
		...recipientFields('Each one gets their own consent request'),
		optionsField(itemOptions),
	],
	execute: sending<ConsentRequest>({
		posting: requestPosting,
		prepare(context, itemIndex) {
			const terms = readTerms(context, itemIndex);
			return { itemIndex, terms, ...readRecipients(context, itemIndex, false) };
		},
	}),
};

function readTerms(context: IExecuteFunctions, itemIndex: number): Terms {
	const type = readField(context, itemIndex, typeField);
	return {
		type,
		...(type === 'MANUAL' && { state: readField(context, itemIndex, stateField) }),
		...readOptions(context, itemIndex, itemOptions),
	};
}

function readState(value: unknown): Reading<string> {
	const state = readText(value);
	if (!('value' in state) || state.value !== '') return state;
	return { problem: 'It is empty. A consent of type MANUAL needs one, such as ACCEPTED.' };
}
