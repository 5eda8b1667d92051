import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { choiceField, field, oneOf, type Field, type Reading } from '../fields/field';
import { notice } from '../fields/notice';

type Show = NonNullable<INodeProperties['displayOptions']>['show'];

/**
 * Recipients from a form, from JSON, or from the input items, all under the interface's own field
 * names.
 *
 * @param description what happens for each recipient
 */
export function recipientFields(description: string): INodeProperties[] {
	return [recipientsFrom, itemNotice, rowsField(description), jsonField('Recipients')];
}

/**
 * One recipient. Its fields are not in a collection, since a collection of one would hide them behind a
 * button: the editor of n8n 2.41 neither sets nor opens such a collection that has a default.
 */
export function singleRecipientFields(show: Show): INodeProperties[] {
	const fields = [recipientsFrom, itemNotice, ...rowValues.map(inForm), jsonField('Recipient')];
	return fields.map((field) => ({
		...field,
		displayOptions: { show: { ...show, ...field.displayOptions?.show } },
	}));
}

function inForm(field: INodeProperties): INodeProperties {
	const show = { recipientsFrom: ['form'], ...field.displayOptions?.show };
	return { ...field, displayOptions: { show } };
}

/** Where the recipients come from. */
export const recipientsFrom = choiceField({
	displayName: 'Recipients From',
	name: 'recipientsFrom',
	options: [
		{ name: 'Form', value: 'form', description: 'Fill in the recipients here' },
		{
			name: 'Input Item',
			value: 'item',
			description:
				'Each input item is a recipient: its fields email, firstname and lastname, or company. The quickest way to fill in many.',
		},
		{ name: 'JSON', value: 'json', description: 'Take them from an expression or a JSON text' },
	],
	default: 'form',
});

/** Users cannot guess the names, and no other field of this choice shows them. */
const itemNotice = notice(
	'itemNotice',
	'Each input item is one recipient, with <code>email</code>, and <code>firstname</code> and <code>lastname</code> or <code>company</code>',
	'nodes/send-letter.md#recipients-from-input-items',
	{ show: { recipientsFrom: ['item'] } },
);

/** @param displayName says whether it is for one recipient */
export function jsonField(displayName: string): Field<unknown[]> {
	return field(
		{
			displayName,
			name: 'recipientsJson',
			type: 'json',
			default: '',
			required: true,
			hint: `e.g. ${EXAMPLE_JSON}`,
			description:
				'One or an array. A person has email, firstname and lastname; a company has email, company and for registered letters identifier and identifierType.',
			displayOptions: { show: { recipientsFrom: ['json'] } },
		},
		readJsonRows,
	);
}

function readJsonRows(value: unknown): Reading<unknown[]> {
	if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
		return { problem: `The JSON is empty. Give an array of recipients: ${EXAMPLE_JSON}` };
	}
	const parsed = typeof value === 'string' ? parseJson(value) : value;
	if (Array.isArray(parsed)) return { value: parsed };
	if (typeof parsed === 'object' && parsed !== null) return { value: [parsed] };
	return { problem: 'The JSON cannot be read. Give an array of recipients, or one recipient.' };
}

function parseJson(text: string): unknown {
	try {
		// A byte order mark in front, as some programs write it, is white space, but not in JSON.
		return JSON.parse(text.trim());
	} catch {
		return null;
	}
}

/** Only a hint: as a default, one click would send it a charged letter. */
const EXAMPLE_JSON =
	'[{ "email": "ada.martin@example.com", "firstname": "Ada", "lastname": "Martin" }]';

function rowsField(description: string): INodeProperties {
	return inForm({
		displayName: 'Recipients',
		name: 'recipients',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add recipient' },
		placeholder: 'Add recipient',
		default: { recipient: [{ email: '' }] },
		description,
		options: [{ displayName: 'Recipient', name: 'recipient', values: rowValues }],
	});
}

export type RecipientKind = 'person' | 'organization';

export const readKind = oneOf<RecipientKind>(['person', 'organization']);

const rowValues: INodeProperties[] = [
	choice('Recipient Is', 'recipientKind', 'person', [
		{ name: 'Company', value: 'organization' },
		{ name: 'Person', value: 'person' },
	]),
	{ ...text('Email', 'email', 'ada.martin@example.com'), required: true },
	{ ...text('First Name', 'firstname', 'Ada'), required: true, ...only('person') },
	{ ...text('Last Name', 'lastname', 'Martin'), required: true, ...only('person') },
	{ ...text('Company', 'company', 'Martin SARL'), required: true, ...only('organization') },
	{
		...choice('Identifier Type', 'identifierType', 'SIREN', [
			{ name: 'BCE (Belgium, 10 Digits)', value: 'BCE' },
			{ name: 'SIREN (France, 9 Digits)', value: 'SIREN' },
		]),
		...only('organization'),
	},
	{
		...text('Identifier', 'identifier', '732829320'),
		hint: 'Required for registered letters (LRE)',
		description: 'Legal identifier of the company. Leave empty if it has none.',
		...only('organization'),
	},
];

/** What a field of a row is called in the editor. */
export function nameInForm(field: string): string {
	return rowValues.find(({ name }) => name === field)?.displayName ?? field;
}

/** The fields of a row, with their defaults. */
export const rowDefaults = Object.fromEntries(
	rowValues.map((field) => [field.name, field.default]),
);

function text(displayName: string, name: string, example: string): INodeProperties {
	return { displayName, name, type: 'string', placeholder: `e.g. ${example}`, default: '' };
}

function choice(
	displayName: string,
	name: string,
	byDefault: string,
	options: INodePropertyOptions[],
): INodeProperties {
	return { displayName, name, type: 'options', options, default: byDefault };
}

function only(kind: RecipientKind): Pick<INodeProperties, 'displayOptions'> {
	return { displayOptions: { show: { recipientKind: [kind] } } };
}
