import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { listConsents } from '../shared/consents/newest';
import { senderField } from '../shared/pickers/customerPicker';
import { choiceField, field, readField, readOptions, readTexts } from '../shared/fields/field';
import { listFields, readLimit } from '../shared/fields/listFields';
import { byName, optionsField, type NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';

/** What most workflows need of a consent (interface, Consent), most important first. */
const SIMPLIFIED = [
	'id',
	'state',
	'email',
	'firstName',
	'lastName',
	'company',
	'type',
	'consentUrl',
	'sender',
	'createdAt',
];

const OTHERS = ['delayInDays', 'identifier', 'identifierType'];

/** How much to return is the choice of the user, and above all of an AI agent. */
const outputField = choiceField({
	displayName: 'Output',
	name: 'output',
	options: [
		{ name: 'Raw', value: 'raw', description: 'All the fields that the service returns' },
		{ name: 'Selected Fields', value: 'fields', description: 'The ID and the fields you choose' },
		{ name: 'Simplified', value: 'simplified', description: 'The fields that most workflows need' },
	],
	default: 'simplified',
	description: 'How much of each result to return',
});

const selectedField = field(
	{
		displayName: 'Fields',
		name: 'fields',
		type: 'multiOptions',
		options: [...SIMPLIFIED, ...OTHERS]
			.filter((value) => value !== 'id')
			.map((value) => ({ name: inTitleCase(value), value }))
			.sort(byName),
		default: [],
		description: 'The fields to add to the output. Leave empty to get the ID alone.',
		displayOptions: { show: { output: ['fields'] } },
	},
	readTexts,
);

const options = {
	sender: senderField('only consents requested for this customer', 'searchCustomers'),
};

/** Lists the newest consent of each contact (interface, GET /consents; rule CONS-07). */
export const getMany: NodeOperation = {
	name: 'Get Many Consents',
	value: 'getMany',
	description: 'List the newest consent of each contact',
	action: 'Get many consents',
	fields: [...listFields, outputField, selectedField, optionsField(options)],
	execute: perItem({
		prepare(context, itemIndex) {
			const { sender } = readOptions(context, itemIndex, options);
			const shown = readOutput(context, itemIndex);
			return { limit: readLimit(context, itemIndex), sender, shown };
		},

		async perform(context, { limit, sender, shown }) {
			const consents = await listConsents(context, limit, sender);
			return consents.map((consent) => ({ json: shown(consent) }));
		},
	}),
};

/** The output for each consent, as the fields of the item say. */
function readOutput(
	context: IExecuteFunctions,
	itemIndex: number,
): (consent: IDataObject) => IDataObject {
	const output = readField(context, itemIndex, outputField);
	if (output === 'raw') return (consent) => consent;
	const names =
		output === 'simplified' ? SIMPLIFIED : ['id', ...readField(context, itemIndex, selectedField)];
	return (consent) => {
		const present = names.filter((name) => Object.hasOwn(consent, name));
		return Object.fromEntries(present.map((name) => [name, consent[name]]));
	};
}

/** Such as "Delay in Days" of `delayInDays`, and "Consent URL" of `consentUrl`. */
function inTitleCase(name: string): string {
	const words = name.replace(/[A-Z]/g, (letter) => ` ${letter}`).replace(/\bUrl\b/, 'URL');
	return `${words[0].toUpperCase()}${words.slice(1)}`.replace(/\bIn\b/, 'in');
}
