// Rules by which n8n verifies a community node and which the newest plugin of its linter to be had does not know
// yet, each under n8n's own name (n8n-io/n8n: packages/@n8n/eslint-plugin-community-nodes/docs/rules). Over what
// the nodes really show: n8n's linter sees only what stands written out in a `.node.ts`. Each is shown something
// bad first, so that it can't pass by seeing nothing. What we do otherwise, and why, is in docs/review.md.
import { globSync, readFileSync } from 'node:fs';
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { fieldsWithin, nodeDescriptions } from '../../../support/descriptions.ts';

const nodes = nodeDescriptions();

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
});

it('no-hardcoded-ids', () => {
	const HARDCODED =
		/(partner|affiliate|reseller|account|tenant|customer|client)[_-]?id['"]?\]?\s*[:=]\s*['"`]/i;
	const bad = [
		"const partnerId = 'p1';",
		"const query = { 'Client-ID': `p2` };",
		"query['reseller_id'] = 'p3';",
	];
	expect(bad.filter((line) => !HARDCODED.test(line))).toEqual([]);
	const sources = globSync('{nodes,credentials}/**/*.ts');
	expect(sources.length).toBeGreaterThan(100);
	expect(sources.filter((file) => HARDCODED.test(readFileSync(file, 'utf8')))).toEqual([]);
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
