import type { IDataObject, IDisplayOptions, INodeProperties } from 'n8n-workflow';

/**
 * Recipients by form, from JSON, or the input items themselves, all under the interface's own field
 * names (design, section 3).
 *
 * @param single for an operation that takes one recipient
 * @param description what becomes of each recipient
 */
export function recipientFields(
	show: IDisplayOptions['show'],
	{
		single = false,
		description = 'Each one gets a letter of their own',
	}: { single?: boolean; description?: string } = {},
): INodeProperties[] {
	return [
		{
			displayName: 'Recipients From',
			name: 'recipientsFrom',
			type: 'options',
			options: [
				{ name: 'Form', value: 'form', description: 'Fill in the recipients here' },
				{
					name: 'Input Item',
					value: 'item',
					description:
						'Each input item is a recipient: its fields email, firstname and lastname, or company. The quickest way for many.',
				},
				{ name: 'JSON', value: 'json', description: 'Take them from an expression or a JSON text' },
			],
			default: 'form',
			displayOptions: { show },
		},
		{
			displayName: single ? 'Recipient' : 'Recipients',
			name: 'recipients',
			type: 'fixedCollection',
			typeOptions: { multipleValues: !single, multipleValueButtonText: 'Add Recipient' },
			placeholder: 'Add Recipient',
			default: { recipient: single ? { email: '' } : [{ email: '' }] },
			...(!single && { description }),
			displayOptions: { show: { ...show, recipientsFrom: ['form'] } },
			options: [{ displayName: 'Recipient', name: 'recipient', values: recipientFormValues }],
		},
		{
			displayName: single ? 'Recipient' : 'Recipients',
			name: 'recipientsJson',
			type: 'json',
			default: EXAMPLE,
			required: true,
			description:
				'A recipient or an array of them. A person has email, firstname and lastname; an organization email, company and, for registered letters, identifier and identifierType (SIREN or BCE).',
			displayOptions: { show: { ...show, recipientsFrom: ['json'] } },
		},
	];
}

const EXAMPLE =
	'[\n  { "email": "ada.martin@example.com", "firstname": "Ada", "lastname": "Martin" }\n]';

/** One row of the form: n8n keeps the values of fields that are hidden, and the defaults of others. */
export interface RecipientRow extends IDataObject {
	recipientKind?: 'person' | 'organization';
}

/** The fields of a row that the user sees. */
export function fromForm(row: RecipientRow): IDataObject {
	const { email, firstname, lastname, company, identifier, identifierType } = row;
	if (row.recipientKind !== 'organization') return { email, firstname, lastname };
	return { email, company, ...(identifier ? { identifier, identifierType } : {}) };
}

const recipientFormValues: INodeProperties[] = [
	{
		displayName: 'Recipient Is',
		name: 'recipientKind',
		type: 'options',
		options: [
			{ name: 'Organization', value: 'organization' },
			{ name: 'Person', value: 'person' },
		],
		default: 'person',
	},
	{
		displayName: 'Email',
		name: 'email',
		type: 'string',
		placeholder: 'e.g. ada.martin@example.com',
		default: '',
		required: true,
	},
	{
		displayName: 'First Name',
		name: 'firstname',
		type: 'string',
		placeholder: 'e.g. Ada',
		default: '',
		displayOptions: { show: { recipientKind: ['person'] } },
	},
	{
		displayName: 'Last Name',
		name: 'lastname',
		type: 'string',
		placeholder: 'e.g. Martin',
		default: '',
		displayOptions: { show: { recipientKind: ['person'] } },
	},
	{
		displayName: 'Company',
		name: 'company',
		type: 'string',
		placeholder: 'e.g. Martin SARL',
		default: '',
		displayOptions: { show: { recipientKind: ['organization'] } },
	},
	{
		displayName: 'Identifier Type',
		name: 'identifierType',
		type: 'options',
		options: [
			{ name: 'BCE (Belgium, 10 Digits)', value: 'BCE' },
			{ name: 'SIREN (France, 9 Digits)', value: 'SIREN' },
		],
		default: 'SIREN',
		displayOptions: { show: { recipientKind: ['organization'] } },
	},
	{
		displayName: 'Identifier',
		name: 'identifier',
		type: 'string',
		placeholder: 'e.g. 732829320',
		default: '',
		hint: 'Registered letters (LRE) need it',
		description: 'Legal identifier of the organization',
		displayOptions: { show: { recipientKind: ['organization'] } },
	},
];
