import type { INodeProperties } from 'n8n-workflow';

import { readEmail } from '../fields/email';
import {
	choiceField,
	field,
	readText,
	type Field,
	type Reader,
	type Reading,
} from '../fields/field';
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

type RecipientKind = 'person' | 'organization';

export const kindField = choiceField({
	displayName: 'Recipient Is',
	name: 'recipientKind',
	options: [
		{ name: 'Company', value: 'organization' },
		{ name: 'Person', value: 'person' },
	],
	default: 'person',
});

const email = text('Email', 'email', 'ada.martin@example.com', { required: true }, readEmail);
const firstname = text('First Name', 'firstname', 'Ada', neededBy('person'));
const lastname = text('Last Name', 'lastname', 'Martin', neededBy('person'));
const company = text('Company', 'company', 'Martin SARL', neededBy('organization'));
const identifierType = field(
	{
		displayName: 'Identifier Type',
		name: 'identifierType',
		type: 'options',
		options: [
			{ name: 'BCE (Belgium, 10 Digits)', value: 'BCE' },
			{ name: 'SIREN (France, 9 Digits)', value: 'SIREN' },
		],
		default: 'SIREN',
		displayOptions: only('organization'),
	},
	readText,
);
const identifier = text('Identifier', 'identifier', '732829320', {
	hint: 'Required for registered letters (LRE)',
	description: 'Legal identifier of the company. Leave empty if it has none.',
	displayOptions: only('organization'),
});
// Only data has it.
const companySiren = text('Company SIREN', 'companySiren', '732829320');

const rowValues = [kindField, email, firstname, lastname, company, identifierType, identifier];

/** What a recipient may have, by the interface's names. */
export const memberFields = {
	email,
	firstname,
	lastname,
	company,
	companySiren,
	identifier,
	identifierType,
};

export type MemberFields = typeof memberFields;

/** What the form shows of each kind. */
export const shownFields: Record<RecipientKind, Record<string, Field<string>>> = {
	person: { email, firstname, lastname },
	organization: { email, company, identifier, identifierType },
};

/** In data they are called what they are called there. */
export const dataFields = Object.fromEntries(
	Object.entries(memberFields).map(([name, one]) => [name, { ...one, displayName: `"${name}"` }]),
) as MemberFields;

function text(
	displayName: string,
	name: string,
	example: string,
	more: Partial<INodeProperties> = {},
	reader: Reader<string> = readText,
): Field<string> {
	const placeholder = `e.g. ${example}`;
	return field({ displayName, name, type: 'string', placeholder, default: '', ...more }, reader);
}

function neededBy(kind: RecipientKind): Partial<INodeProperties> {
	return { required: true, displayOptions: only(kind) };
}

function only(kind: RecipientKind): INodeProperties['displayOptions'] {
	return { show: { recipientKind: [kind] } };
}
