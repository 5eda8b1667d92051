// Rules by which n8n verifies a community node and which the newest plugin of its linter to be had does not know
// yet, each under n8n's own name (n8n-io/n8n: packages/@n8n/eslint-plugin-community-nodes/docs/rules). Over what
// the nodes really show: n8n's linter sees only what stands written out in a `.node.ts`. Each is shown something
// bad first, so that it can't pass by seeing nothing. What we do otherwise, and why, is in docs/review.md.
import { globSync, readFileSync } from 'node:fs';
import type {
	INodeCredentialDescription,
	INodeProperties,
	INodeTypeDescription,
} from 'n8n-workflow';

import { Linter } from 'eslint';
import { parser } from 'typescript-eslint';

import { fieldsWithin, nodeDescriptions } from '../../../support/descriptions.ts';

const nodes = nodeDescriptions();

it('single-credential-per-node', () => {
	const either = (name: string, ...values: string[]): INodeCredentialDescription => ({
		name,
		displayOptions: { show: { authentication: values } },
	});
	const chosenBy = (type: INodeProperties['type']) => [
		field({ name: 'authentication', type, default: '' }),
	];
	const bad = [
		node({ name: 'both', credentials: [{ name: 'one' }, { name: 'other' }] }),
		node({ name: 'overlap', credentials: [either('one', 'a', 'b'), either('other', 'b')] }),
		node({
			name: 'third',
			credentials: [either('one', 'a'), either('other', 'b'), { name: 'third' }],
		}),
		node({
			name: 'several values',
			credentials: [either('one', 'a'), either('other', 'b')],
			properties: chosenBy('multiOptions'),
		}),
	];
	const good = node({
		credentials: [either('one', 'a'), either('other', 'b')],
		properties: chosenBy('options'),
	});
	expect(bad.filter(hasOneCredentialAtATime)).toEqual([]);
	expect(hasOneCredentialAtATime(good)).toBe(true);
	expect(namesOf(nodes.filter((one) => !hasOneCredentialAtATime(one)))).toEqual([]);
});

it('non-required-fields-in-collection', () => {
	expect(asksForMore(node({ properties: [field({ name: 'note' })] }))).toEqual(['note']);
	// What is not required and stands outside of the options all the same.
	const OTHERWISE = [
		// As n8n's own nodes show it, and its UX guidelines.
		'fields',
		'limit',
		'output',
		'simplify',
		// What is sent, created or looked for, which nobody would seek among options.
		'attachmentFields',
		'eventType',
		'isPaying',
		'messageType',
		'willSendLre',
		// The rest of what a choice begins, beside which it is read.
		'deadlineAmount',
		'deadlineUnit',
		'identifier',
		'identifierType',
	];
	expect([...new Set(nodes.flatMap(asksForMore))].sort()).toEqual(OTHERWISE.sort());
});

it('hint-max-length', () => {
	const hint = 'x'.repeat(121);
	expect(longHints(node({ properties: [field({ hint })] }))).toEqual([hint]);
	expect(longHints(node({ hints: [{ message: hint }] }))).toEqual([]);
	expect(nodes.flatMap(longHints)).toEqual([]);
});

it('require-param-default', () => {
	const inner = { displayName: 'Inner', name: 'inner', type: 'string' } as INodeProperties;
	const outer = field({ type: 'collection', default: {}, options: [inner] });
	expect(withoutDefault(node({ properties: [outer] }))).toEqual(['Node: Field: Inner']);
	expect(nodes.flatMap(withoutDefault)).toEqual([]);
});

describe('codex', () => {
	interface Codex {
		categories?: string[];
		subcategories?: Record<string, string[]>;
	}
	const codexes = globSync('nodes/*/*.node.json').map(
		(file) => JSON.parse(readFileSync(file, 'utf8')) as Codex,
	);
	/** Without `AI`, which wants subcategories that no node of this pack has. */
	const CATEGORIES = [
		'Analytics',
		'Communication',
		'Data & Storage',
		'Development',
		'Finance & Accounting',
		'Marketing & Content',
		'Miscellaneous',
		'Productivity',
		'Sales',
		'Utility',
	];

	it('valid-node-categories', () => {
		const isValid = ({ categories = [], subcategories }: Codex) =>
			categories.length > 0 &&
			categories.every((category) => CATEGORIES.includes(category)) &&
			subcategories === undefined;
		const bad: Codex[] = [
			...[[], ['Marketing'], ['AI']].map((categories) => ({ categories })),
			{ categories: ['Sales'], subcategories: { Sales: ['Letters'] } },
		];
		expect(bad.filter(isValid)).toEqual([]);
		expect(codexes.length).toBe(nodes.length);
		expect(codexes.filter((codex) => !isValid(codex))).toEqual([]);
	});

	it('no-logic-or-flow-nodes', () => {
		const isLogic = ({ categories = [], subcategories = {} }: Codex) =>
			[categories, ...Object.values(subcategories)]
				.flat()
				.some((category) => ['Logic', 'Flow'].includes(category));
		expect(isLogic({ categories: ['Logic'] })).toBe(true);
		expect(isLogic({ categories: ['Sales'], subcategories: { Sales: ['Flow'] } })).toBe(true);
		expect(codexes.filter(isLogic)).toEqual([]);
	});
});

it('no-hardcoded-ids', () => {
	expect(
		hardcodedIds(
			[
				"const partnerId = 'p1';",
				"const query = { partner_id: 'p2', 'Client-ID': `p3`, customerId: read() };",
				"class Account { accountId = 'p4'; }",
				"query.tenantId = 'p5'; query['reseller_id'] = 'p6';",
			].join('\n'),
		),
	).toEqual(["'p1'", "'p2'", '`p3`', "'p4'", "'p5'", "'p6'"]);
	const sources = globSync('{nodes,credentials}/**/*.ts');
	expect(sources.length).toBeGreaterThan(100);
	expect(sources.flatMap((file) => hardcodedIds(readFileSync(file, 'utf8')))).toEqual([]);
});

function node(parts: Partial<INodeTypeDescription>): INodeTypeDescription {
	return { displayName: 'Node', properties: [], ...parts } as INodeTypeDescription;
}

function field(parts: Partial<INodeProperties>): INodeProperties {
	return { displayName: 'Field', name: 'field', type: 'string', default: '', ...parts };
}

function namesOf(list: Array<{ name: string }>): string[] {
	return list.map(({ name }) => name);
}

/** Of any two credentials the value of one parameter says which it is. */
function hasOneCredentialAtATime({ credentials = [], properties }: INodeTypeDescription): boolean {
	const several = namesOf(properties.filter(({ type }) => type === 'multiOptions'));
	const exclude = (one: INodeCredentialDescription, other: INodeCredentialDescription) =>
		Object.entries(one.displayOptions?.show ?? {}).some(([name, values = []]) => {
			const others = other.displayOptions?.show?.[name] ?? [];
			// A condition (`_cnd`) is an object, and two of them may hold at once.
			const areValues = [...values, ...others].every((value) => typeof value !== 'object');
			const areApart = others.length > 0 && !values.some((value) => others.includes(value));
			return areValues && areApart && !several.includes(name);
		});
	return credentials.every((one, index) =>
		credentials.slice(index + 1).every((other) => exclude(one, other)),
	);
}

/** Fields outside of a collection that are not required, and that show no others. */
function asksForMore({ properties }: INodeTypeDescription): string[] {
	const shownBy = properties.flatMap(({ displayOptions }) =>
		Object.keys(displayOptions?.show ?? {}),
	);
	const OF_NO_INPUT = [
		'collection',
		'fixedCollection',
		'notice',
		'callout',
		'hidden',
		'curlImport',
	];
	return namesOf(
		properties.filter(
			({ name, type, required }) =>
				required !== true && !OF_NO_INPUT.includes(type) && !shownBy.includes(name),
		),
	);
}

function longHints(description: INodeTypeDescription): string[] {
	const found: string[] = [];
	JSON.stringify(description, (key, value: unknown) => {
		if (key === 'hint' && typeof value === 'string' && value.length > 120) found.push(value);
		return value;
	});
	return found;
}

function withoutDefault({ displayName, properties }: INodeTypeDescription): string[] {
	return fieldsWithin(displayName, properties)
		.filter(({ field }) => field.default === undefined)
		.map(({ place }) => place);
}

/** Texts that are given to what is called like the ID of an account. */
function hardcodedIds(source: string): string[] {
	const name = '(partner|affiliate|reseller|account|tenant|customer|client)[_-]?id';
	// Most files have none, and reading them all takes seconds.
	if (!new RegExp(name, 'i').test(source)) return [];
	const ID = `/^${name}$/i`;
	const TEXT = ':matches(Literal[value=type(string)], TemplateLiteral[expressions.length=0])';
	const PROPERTY = ':matches(Property, PropertyDefinition)';
	const NAMED = [
		`VariableDeclarator[id.name=${ID}] > ${TEXT}.init`,
		`${PROPERTY}[key.name=${ID}] > ${TEXT}.value`,
		`${PROPERTY}[key.value=${ID}] > ${TEXT}.value`,
		`AssignmentExpression[left.name=${ID}] > ${TEXT}.right`,
		`AssignmentExpression[left.property.name=${ID}] > ${TEXT}.right`,
		`AssignmentExpression[left.property.value=${ID}] > ${TEXT}.right`,
	];
	const lines = source.split('\n');
	return new Linter({ configType: 'flat' })
		.verify(source, {
			files: ['**'],
			languageOptions: { parser: parser as Linter.Parser },
			linterOptions: { noInlineConfig: true },
			rules: { 'no-restricted-syntax': ['error', ...NAMED] },
		})
		.map(({ line, column, endColumn = 0 }) => lines[line - 1].slice(column - 1, endColumn - 1));
}
