// The reference of nodes and credentials: each operation, field, option and choice of the editor stands
// on its page, and nothing that the editor no longer has.
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { credentialTypes, nodeDescriptions } from '../../support/descriptions.ts';
import { filesIn, json, prose, read, rows, sections } from './documents.ts';

/** A field, and the names of the operations that have it. */
interface Shown {
	field: INodeProperties;
	operations: string[];
}

/** What the editor shows: fields, and options that the user may add. */
interface Reference {
	operations: string[];
	fields: Shown[];
	options: Shown[];
}

function referenceOf({ properties }: { properties: INodeProperties[] }): Reference {
	const operations = properties.filter(isOperation).flatMap(choices);
	const nameOf = new Map(operations.map(({ value, name }) => [value, name]));
	const shown = properties
		.filter((property) => !isOperation(property) && !/^(hidden|notice)$/.test(property.type))
		.flatMap((property) => {
			const values = property.displayOptions?.show?.operation ?? [...nameOf.keys()];
			const names = values.map((value) => nameOf.get(value as string) ?? String(value));
			return [property, ...rowFields(property)].map((field) => ({ field, operations: names }));
		});
	const isCollection = ({ field }: Shown) => field.type === 'collection';
	return {
		operations: [...nameOf.values()],
		fields: shown.filter((one) => !isCollection(one)),
		options: shown
			.filter(isCollection)
			.flatMap(({ field, operations }) =>
				(field.options as INodeProperties[]).map((option) => ({ field: option, operations })),
			),
	};
}

const isOperation = ({ name }: INodeProperties) => name === 'operation';

/** What can be chosen in a field, by its own name or from a list. */
const choices = ({ type, options = [] }: INodeProperties): INodePropertyOptions[] =>
	/^(options|multiOptions)$/.test(type) ? (options as INodePropertyOptions[]) : [];

/** The fields of a row, where a field consists of rows. */
const rowFields = ({ type, options = [] }: INodeProperties): INodeProperties[] =>
	type === 'fixedCollection'
		? options.flatMap((group) => ('values' in group ? group.values : []))
		: [];

/** Operations by the name of the field, as a table has them. Several fields may share a name. */
function inEditor(all: Shown[]): Record<string, string> {
	return byName(all.map(({ field, operations }) => [field.displayName, operations]));
}

/**
 * The same in the tables of a page. A row may name several fields; it is about the operation whose
 * section it is in, else about all.
 */
function onPage(text: string, column: string, operations: string[]): Record<string, string> {
	return byName(
		text.split(/^## /m).flatMap((part) => {
			const [heading] = part.split('\n', 1);
			const about = operations.includes(heading) ? [heading] : operations;
			const names = rows(part, column).flatMap((row) => row[column].split(', '));
			return names.map((name): [string, string[]] => [name, about]);
		}),
	);
}

function byName(all: Array<[name: string, operations: string[]]>): Record<string, string> {
	const found: Record<string, string[]> = {};
	for (const [name, operations] of all) (found[name] ??= []).push(...operations);
	return Object.fromEntries(
		Object.entries(found).map(([name, operations]) => [name, inWords(operations)]),
	);
}

const inWords = (operations: string[]): string => [...new Set(operations)].sort().join(', ');

const choiceNames = ({ fields, options }: Reference): string[] =>
	[...fields, ...options].flatMap(({ field }) => choices(field).map(({ name }) => name));

const pageOf = (node: string): string =>
	`docs/nodes/${node.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;

const nodes = nodeDescriptions();
const credentials = credentialTypes();

it('has a page for each node, and no other', () => {
	const pages = filesIn('docs/nodes', /\.md$/);
	expect(pages.sort()).toEqual(nodes.map(({ name }) => pageOf(name)).sort());
});

describe.each(nodes.map((node) => [node.name, node] as const))('the page of %s', (name, node) => {
	const text = read(pageOf(name));
	const reference = referenceOf(node);

	it('has its name and its credentials', () => {
		expect(text).toMatch(new RegExp(`^# ${node.defaults.name}\n`));
		for (const { name: used } of node.credentials ?? []) {
			const type = credentials.find((credential) => credential.name === used);
			expect(text).toContain(`[${type?.displayName}](../credentials.md#`);
		}
	});

	it('has each operation', () => {
		const table = rows(text, 'operation').map(({ operation }) => operation);
		expect(table.sort()).toEqual([...reference.operations].sort());
	});

	it.each(['field', 'option'] as const)('has each %s, of the right operations', (kind) => {
		const table = onPage(text, kind, reference.operations);
		expect(table).toEqual(inEditor(reference[`${kind}s`]));
	});

	it('has each choice', () => {
		expect(choiceNames(reference).filter((choice) => !text.includes(choice))).toEqual([]);
	});

	it('has each output, and lists no event that cannot be chosen', () => {
		expect(rows(text, 'output').map(({ output }) => output)).toEqual(node.outputNames ?? []);
		const listed = rows(text, 'event').map(({ event }) => event.replace(' †', ''));
		expect(listed.filter((event) => !choiceNames(reference).includes(event))).toEqual([]);
	});
});

describe.each(credentials.map((type) => [type.displayName, type] as const))(
	'the section of the credential %s',
	(name, type) => {
		const section = sections(read('docs/credentials.md'), 2).get(name) ?? '';
		const reference = referenceOf(type);

		it('has each field', () => {
			expect(onPage(section, 'field', [])).toEqual(inEditor(reference.fields));
		});

		it('has each choice', () => {
			expect(choiceNames(reference).filter((choice) => !section.includes(choice))).toEqual([]);
		});
	},
);

/** What n8n itself calls things. */
const NAMES_OF_N8N = [
	'On Error',
	'Continue',
	'Continue (using error output)',
	'Retry On Fail',
	'Retry',
	'Save',
	'Settings',
	'Always Output Data',
	'Community nodes',
	'Install',
	'Fixed',
	'Expression',
	'Remove Duplicates',
	'Value to Dedupe On',
	'Approve',
];

it('every name in italics is one that the editor has', () => {
	const known = new Set([
		...NAMES_OF_N8N,
		...filesIn('examples', /\.json$/).map((file) => json(file).name as string),
		...credentials.map(({ displayName }) => displayName),
		...nodes.flatMap(({ outputNames = [] }) => outputNames),
		// Without what they are for.
		...nodes.flatMap(({ credentials = [] }) =>
			credentials.map(({ displayName = '' }) => displayName.replace(/ \(.+\)$/, '')),
		),
		...[...nodes, ...credentials]
			.map(referenceOf)
			.flatMap((reference) => [
				...reference.operations,
				...choiceNames(reference),
				...[...reference.fields, ...reference.options].flatMap(({ field }) => [
					field.displayName,
					...(field.modes ?? []).map(({ displayName }) => displayName),
				]),
			]),
	]);
	const pages = ['README.md', 'examples/README.md', ...filesIn('docs', /\.md$/)];
	const used = pages.flatMap((page) =>
		[...prose(read(page)).matchAll(/(?<!\w)_([^_\n]+)_(?!\w)/g)].flatMap(([, words]) =>
			words.split(/: | → /).map((word) => ({ page, word })),
		),
	);
	expect(used.length).toBeGreaterThan(50);
	expect(used.filter(({ word }) => !known.has(word))).toEqual([]);
});
