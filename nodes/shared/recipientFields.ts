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
	const form = { ...show, recipientsFrom: ['form'] };
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
		...(single ? plainFields(form) : [rows(form, description)]),
		{
			displayName: single ? 'Recipient' : 'Recipients',
			name: 'recipientsJson',
			type: 'json',
			default: '',
			required: true,
			hint: `e.g. ${EXAMPLE_JSON}`,
			description:
				'A recipient or an array of them. A person has email, firstname and lastname; an organization email, company and, for registered letters, identifier and identifierType (SIREN or BCE).',
			displayOptions: { show: { ...show, recipientsFrom: ['json'] } },
		},
	];
}

/** Only ever shown: as a default, one click would send it a charged letter. */
export const EXAMPLE_JSON =
	'[{ "email": "ada.martin@example.com", "firstname": "Ada", "lastname": "Martin" }]';

function rows(show: IDisplayOptions['show'], description: string): INodeProperties {
	return {
		displayName: 'Recipients',
		name: 'recipients',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Recipient' },
		placeholder: 'Add Recipient',
		default: { recipient: [{ email: '' }] },
		description,
		displayOptions: { show },
		options: [{ displayName: 'Recipient', name: 'recipient', values: recipientFormValues }],
	};
}

/**
 * The fields of one row, by themselves. As a collection of one, they would be hidden behind a button:
 * the editor of n8n 2.41 neither sets nor opens such a collection that has a default.
 */
function plainFields(show: IDisplayOptions['show']): INodeProperties[] {
	return recipientFormValues.map((field) => ({
		...field,
		displayOptions: { show: { ...show, ...field.displayOptions?.show } },
	}));
}

/** One recipient of the form: n8n keeps the values of fields that are hidden, and the defaults of others. */
export interface RecipientRow extends IDataObject {
	recipientKind?: 'person' | 'organization';
}

/** Names of the fields of a row. */
export const rowFields = () => recipientFormValues.map(({ name }) => name);

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
