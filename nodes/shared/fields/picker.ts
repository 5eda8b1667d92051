import type { INodeProperties } from 'n8n-workflow';

import { field, readText, type Field, type Reading } from './field';
import { isRecord } from '../../../webhook-receiver/src/core/is-record';

/** The form of customer and consent IDs (rule SEND-06). */
const UUID_PATTERN = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

const UUID = new RegExp(`^${UUID_PATTERN}$`);

/** What the service identifies by a UUID, with the example that the editor shows. */
const EXAMPLES = {
	consent: '3f2b8c1e-5d7a-4e9b-8a6c-1f0e2d3c4b5a',
	customer: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
};

type Pickable = keyof typeof EXAMPLES;

/**
 * Lets the user choose one from a list or by ID (rule SEND-06). It may be empty unless it is required.
 *
 * @param search a method that the node has under `methods.listSearch`
 */
export function picker(
	property: Pick<INodeProperties, 'displayName' | 'name' | 'description'> &
		Partial<INodeProperties>,
	noun: Pickable,
	search: string,
): Field<string> {
	const example = EXAMPLES[noun];
	const whole: INodeProperties = {
		...property,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: `Select a ${noun}…`,
				typeOptions: { searchListMethod: search, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: `e.g. ${example}`,
				validation: [
					{
						type: 'regex',
						properties: {
							regex: `^\\s*${UUID_PATTERN}\\s*$`,
							errorMessage: `A ${noun} ID is a UUID such as ${example}`,
						},
					},
				],
			},
		],
	};
	const read = property.required ? readRequired : readPicked;
	return field(whole, (value) => read(value, noun));
}

/**
 * Reads what the picker holds: a locator, or the plain ID that an expression gives. No choice is an empty
 * ID.
 */
function readPicked(value: unknown, noun: Pickable): Reading<string> {
	const picked = readText(isRecord(value) && 'value' in value ? value.value : value);
	if ('problem' in picked || picked.value === '' || UUID.test(picked.value)) return picked;
	return { problem: `"${picked.value}" is not a ${noun} ID, which is a UUID.` };
}

/** The same where there must be one. */
function readRequired(value: unknown, noun: Pickable): Reading<string> {
	const picked = readPicked(value, noun);
	if (!('value' in picked) || picked.value !== '') return picked;
	return { problem: `Choose a ${noun}.` };
}
