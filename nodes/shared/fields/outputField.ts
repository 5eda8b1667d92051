import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { byName } from './byName';
import { choiceField, field, readField, readTexts } from './field';

/** The members of an answer that has many, by the names of the interface. */
export interface AnswerFields {
	/** The most useful ones, ten at most, most important first. */
	simplified: string[];
	others: string[];
}

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
		default: [],
		description: 'The fields to add to the output. Leave empty to get the ID alone.',
		displayOptions: { show: { output: ['fields'] } },
	},
	readTexts,
);

/**
 * Lets the user, and above all an AI agent, choose how much of a large answer to return: n8n's guidelines ask
 * for this beyond ten fields.
 */
export function outputFields({ simplified, others }: AnswerFields): INodeProperties[] {
	const options = [...simplified, ...others]
		.filter((value) => value !== 'id')
		.map((value) => ({ name: inTitleCase(value), value }))
		.sort(byName);
	return [outputField, { ...selectedField, options }];
}

/** The output for each result of the item, as its fields say. */
export function readOutput(
	context: IExecuteFunctions,
	itemIndex: number,
	{ simplified }: AnswerFields,
): (result: IDataObject) => IDataObject {
	const output = readField(context, itemIndex, outputField);
	if (output === 'raw') return (result) => result;
	const names =
		output === 'simplified' ? simplified : ['id', ...readField(context, itemIndex, selectedField)];
	return (result) => pick(result, names);
}

function pick(result: IDataObject, names: string[]): IDataObject {
	const present = names.filter((name) => Object.hasOwn(result, name));
	return Object.fromEntries(present.map((name) => [name, result[name]]));
}

/** Such as "Delay in Days" of `delayInDays`, and "Consent URL" of `consentUrl`. */
function inTitleCase(name: string): string {
	const words = name.replace(/[A-Z]/g, (letter) => ` ${letter}`).replace(/\bUrl\b/, 'URL');
	return `${words[0].toUpperCase()}${words.slice(1)}`.replace(/\bIn\b/, 'in');
}
