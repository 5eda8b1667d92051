// n8n's guidelines for what a node shows (docs.n8n.io: "UX guidelines", "Node UI design"), each as a test over
// all nodes and credentials. What cannot be followed, and why, is in docs/review.md.
import { letterSchema } from '../../../../webhook-receiver/src/core/letter-contract.ts';
import { readFileSync } from 'node:fs';
import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

import {
	credentialTypes,
	fieldsWithin,
	nodeDescriptions,
	operationsOf,
	valuesOf,
	type PlacedField,
} from '../../../support/descriptions.ts';
import { TITLE_CASE } from './cases.ts';

const nodes = nodeDescriptions();
const credentials = credentialTypes();
const ofNodes = nodes.flatMap(({ displayName, properties }) =>
	fieldsWithin(displayName, properties),
);
const ofCredentials = credentials.flatMap(({ displayName, properties }) =>
	fieldsWithin(displayName, properties),
);
const all = [...ofNodes, ...ofCredentials];
const isTrigger = ({ group }: INodeTypeDescription) => group.includes('trigger');
const optionsOf = ({ type, options = [] }: INodeProperties) =>
	type === 'options' || type === 'multiOptions' ? (options as INodePropertyOptions[]) : [];
const operations = nodes.flatMap((node) =>
	node.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(optionsOf)
		.map((operation) => ({ node: node.name, ...operation })),
);

/** Where something is not as it should be. */
const placesOf = (fields: PlacedField[], isWrong: (field: INodeProperties) => boolean) =>
	fields.filter(({ field }) => isWrong(field)).map(({ place }) => place);

describe('nodes', () => {
	it('a name is in Title Case, ends with Trigger for triggers alone, and never says node', () => {
		for (const node of nodes) {
			const name = node.displayName.replace('Registered Delivery: ', '');
			expect(name).toMatch(TITLE_CASE);
			expect(/ Trigger$/.test(name)).toBe(isTrigger(node));
			expect(name).not.toMatch(/node/i);
			expect(String(node.defaults.name)).toBe(name);
		}
	});

	it('what an AI agent may choose as a tool says so; triggers and what sleeps for days do not', () => {
		const tools = nodes.filter(({ usableAsTool }) => usableAsTool === true);
		const isOperated = (node: INodeTypeDescription) => operationsOf(node)[0] !== null;
		expect(tools.map(({ name }) => name)).toEqual(
			nodes.filter(isOperated).map((node) => node.name),
		);
	});

	it('builderHint stands where n8n reads it: at the node, and at no field that chooses', () => {
		// All others are like another one: which to choose when.
		const plain = nodes.filter(({ builderHint }) => builderHint?.searchHint === undefined);
		expect(plain.map(({ name }) => name)).toEqual(['downloadEvidence', 'manageCustomer']);
		const hints = nodes.map(({ builderHint }) => builderHint?.searchHint ?? '');
		expect(hints.filter((hint) => hint.length > 260)).toEqual([]);
		const choosing = ['resource', 'operation', 'mode'];
		const isHinted = ({ name, builderHint }: INodeProperties) =>
			choosing.includes(name) && builderHint !== undefined;
		expect(placesOf(ofNodes, isHinted)).toEqual([]);
		const known = nodes.map(({ name }) => `n8n-nodes-registered-delivery.${name}`);
		const related = nodes.flatMap(({ builderHint }) => builderHint?.relatedNodes ?? []);
		expect(related.filter(({ nodeType }) => !known.includes(nodeType))).toEqual([]);
	});

	it.each(nodes.map((node) => [node.name, node] as const))(
		'the subtitle of %s is in Title Case, whatever is chosen',
		(_name, node) => {
			for (const parameters of choicesOf(node)) {
				expect(subtitleOf(node, parameters)).toMatch(TITLE_CASE);
			}
		},
	);
});

it.each(nodes.map((node) => [node.name, node.credentials ?? []] as const))(
	'%s has one credential, which it needs',
	(_name, credentials) => {
		expect(credentials).toEqual([expect.objectContaining({ required: true })]);
	},
);

describe('operations', () => {
	/** What operations are about. No resource can be chosen, so each operation says it itself. */
	const OBJECT = /\b(Letters?|Status|Evidence|Consents?|Contact|Customers?|Logo)\b/i;
	const ARTICLES = /\b(an?|the)\b/i;

	it('Resource comes first, then Operation', () => {
		for (const { properties } of nodes.filter((node) => operationsOf(node)[0] !== null)) {
			expect(properties.slice(0, 2).map(({ name }) => name)).toEqual(['resource', 'operation']);
			expect(properties.slice(0, 2).map((field) => field.noDataExpression)).toEqual([true, true]);
		}
	});

	it('a name is in Title Case, without articles, and names its object', () => {
		for (const { name } of operations) {
			expect(name).toMatch(TITLE_CASE);
			expect(name).toMatch(OBJECT);
			expect(name).not.toMatch(ARTICLES);
		}
	});

	it('an action is in sentence case, without articles, and names its object', () => {
		for (const { action } of operations) {
			expect(action).toMatch(/^[A-Z][a-z]+( [a-z()]+)+$/);
			expect(action).toMatch(OBJECT);
			expect(action).not.toMatch(ARTICLES);
		}
	});

	it('a description says more than name and action, and names the object', () => {
		for (const { name, action, description = '' } of operations) {
			expect(description).toMatch(OBJECT);
			expect([name, action]).not.toContain(description);
		}
	});

	it('begins with the verbs that n8n knows, or with those of the service', () => {
		const GENERAL = ['Create', 'Delete', 'Get', 'Get Many', 'Send'];
		const OF_THE_SERVICE = ['Cancel', 'Check', 'Download', 'Remind', 'Reschedule', 'Resend', 'Set'];
		const OF_N8N = ['Summarize'];
		const verbs = [...GENERAL, ...OF_THE_SERVICE, ...OF_N8N].map((verb) => `${verb} `);
		const others = operations.filter(({ name }) => !verbs.some((verb) => name.startsWith(verb)));
		expect(others).toEqual([]);
	});
});

describe('fields', () => {
	it('secrets are password fields', () => {
		const isSecret = ({ name }: INodeProperties) =>
			/token|secret|password|passphrase|key$|certificate/i.test(name);
		expect(placesOf(ofCredentials, isSecret).length).toBeGreaterThan(5);
		const isShown = (field: INodeProperties) =>
			isSecret(field) && field.typeOptions?.password !== true;
		expect(placesOf(ofCredentials, isShown)).toEqual([]);
	});

	it('lists are in the alphabet: choices, optional fields, fields to select', () => {
		for (const { place, field } of all) {
			const names =
				field.type === 'collection'
					? (field.options as INodeProperties[]).map(({ displayName }) => displayName)
					: optionsOf(field).map(({ name }) => name);
			expect({ place, names }).toEqual({ place, names: [...names].sort(byAlphabet) });
		}
	});

	it('a field is shown by choices that there are', () => {
		expect(nodes.flatMap(({ properties }) => neverMade(properties, properties))).toEqual([]);
	});

	it('a list has one of its choices chosen', () => {
		const isOpen = (field: INodeProperties) =>
			field.type === 'options' && !valuesOf(field).includes(field.default);
		expect(placesOf(all, isOpen)).toEqual([]);
	});

	it('a field that may stay empty says what that means, or stands among the options', () => {
		const isInOptions = ({ place }: PlacedField) => / Options: /.test(place);
		const isSilent = ({ type, default: standard, required, ...field }: INodeProperties) =>
			['string', 'json', 'dateTime', 'resourceLocator'].includes(type) &&
			standard === '' &&
			required !== true &&
			!/Leave empty/.test(`${field.description} ${field.hint}`);
		const asked = ofNodes.filter((one) => !isInOptions(one));
		expect(placesOf(asked, isSilent)).toEqual([]);
	});

	it('an example of what to type begins with "e.g.", and is never a default', () => {
		const isBare = ({ type, placeholder }: INodeProperties) =>
			!['collection', 'fixedCollection'].includes(type) && !/^(e\.g\. |$)/.test(placeholder ?? '');
		expect(placesOf(all, isBare)).toEqual([]);
		const isLive = ({ type, default: standard }: INodeProperties) =>
			type === 'json' && standard !== '';
		expect(placesOf(all, isLive)).toEqual([]);
		const modes = all.flatMap(({ field }) => field.modes ?? []);
		expect(
			modes.filter(({ name, placeholder }) => name === 'id' && !/^e\.g\. /.test(placeholder ?? '')),
		).toEqual([]);
	});

	it('a description is a tooltip, not a page: what takes more is in the docs', () => {
		const isLong = (field: INodeProperties) =>
			[field, ...optionsOf(field)].some(({ description = '' }) => description.length > 150);
		expect(placesOf(all, isLong)).toEqual([]);
	});

	it('a notice takes two lines, and links to where the docs say more', () => {
		const notices = ofNodes.filter(({ field }) => field.type === 'notice');
		expect(notices.length).toBeGreaterThan(5);
		for (const { field } of notices) {
			const [, text = '', page = '', anchor] =
				/^(.+\.) <a href="https:.+\/main\/([^"#]+)(?:#([^"]+))?" target="_blank">See the docs\.<\/a>$/.exec(
					field.displayName,
				) ?? [];
			expect(text.replaceAll(/<\/?code>/g, '')).toMatch(/^.{20,140}$/);
			const headings = [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
				heading.toLowerCase().replaceAll(' ', '-'),
			);
			if (anchor !== undefined) expect(headings).toContain(anchor);
		}
	});

	it('the events of a trigger are chosen by Trigger On, without a tooltip', () => {
		for (const { properties } of nodes.filter(isTrigger)) {
			const [events] = properties.filter(({ type }) => type === 'multiOptions');
			expect(events).toMatchObject({ displayName: 'Trigger On', name: 'events', required: true });
			expect(events.description).toBeUndefined();
		}
	});

	it('what the service lists is picked from a list first, or given by ID', () => {
		const isListed = ({ name }: INodeProperties) =>
			['customerId', 'consentId', 'sender'].includes(name);
		const listed = ofNodes.filter(({ field }) => isListed(field));
		expect(listed.length).toBeGreaterThan(3);
		for (const { field } of listed) {
			expect(field).toMatchObject({
				type: 'resourceLocator',
				default: { mode: 'list', value: '' },
				modes: [
					{ name: 'list', displayName: 'From List' },
					{ name: 'id', displayName: 'By ID' },
				],
			});
		}
	});
});

describe('answers', () => {
	/** Of the receiver. */
	const OF_THE_BOOK = 'Letter';
	/** Where the operations that read get what they put out (interface, Endpoints). */
	const READ: Record<string, string> = {
		'getStatus: get': 'Message',
		'getStatus: getMany': OF_THE_BOOK,
		'manageCustomer: getMany': 'Customer',
		'requestConsent: getMany': 'Consent',
	};
	const { components } = JSON.parse(readFileSync('sandbox/openapi.json', 'utf8')) as {
		components: { schemas: Record<string, { properties: object }> };
	};
	const membersOf = (schema: string) =>
		Object.keys(
			schema === OF_THE_BOOK ? letterSchema.unwrap().shape : components.schemas[schema].properties,
		);

	it('n8n is told of each token in them, also where an AI agent gets it', () => {
		const tokens = Object.entries(READ).flatMap(([operation, schema]) =>
			membersOf(schema)
				.filter((member) => /token/i.test(member))
				.map((member) => ({ node: operation.split(':')[0], member })),
		);
		expect(tokens).not.toEqual([]);
		for (const { node, member } of tokens) {
			const { sensitiveOutputFields } = nodes.find(({ name }) => name === node) ?? {};
			expect(sensitiveOutputFields).toEqual([member, `response[*].${member}`]);
		}
	});

	it('more than ten fields can be cut by Simplify or by Output', () => {
		const reading = operations.filter(({ value }) => ['get', 'getMany'].includes(String(value)));
		expect(reading.map(({ node, value }) => `${node}: ${value}`).sort()).toEqual(
			Object.keys(READ).sort(),
		);
		for (const { node, value } of reading) {
			const fields = nodes.find(({ name }) => name === node)?.properties ?? [];
			const isCut = fields.some(({ name }) => ['simplify', 'output'].includes(name));
			const isLarge = membersOf(READ[`${node}: ${value}`]).length > 10;
			expect(!isLarge || isCut).toBe(true);
		}
		for (const { properties } of nodes.filter(isTrigger)) {
			expect(properties.map(({ name }) => name)).toContain('simplify');
		}
	});

	it('Output offers Raw, Selected Fields and Simplified, and every field the service has', () => {
		const { properties } = nodes.find(
			({ name }) => name === 'requestConsent',
		) as INodeTypeDescription;
		const field = (name: string) => properties.find((one) => one.name === name) as INodeProperties;
		expect(field('output')).toMatchObject({
			displayName: 'Output',
			default: 'simplified',
			options: [{ name: 'Raw' }, { name: 'Selected Fields' }, { name: 'Simplified' }],
		});
		expect(['id', ...valuesOf(field('fields'))].sort()).toEqual(membersOf('Consent').sort());
	});
});

function byAlphabet(one: string, other: string): number {
	return one.localeCompare(other, 'en');
}

/** The choices that fields wait for and nobody can make. */
function neverMade(fields: INodeProperties[], root: INodeProperties[]): string[] {
	return fields.flatMap((field) => {
		const waits = Object.entries(field.displayOptions?.show ?? {}).flatMap(([name, values = []]) =>
			values.map((value) => ({ name, value })),
		);
		const isOffered = ({ name, value }: (typeof waits)[number]) =>
			(name.startsWith('/') ? root : fields)
				.filter((one) => one.name === name.replace('/', ''))
				.some((one) => one.type !== 'options' || valuesOf(one).includes(value));
		return [
			...waits.filter((one) => !isOffered(one)).map(({ name }) => `${field.name}: ${name}`),
			...groupsOf(field).flatMap((group) => neverMade(group, root)),
		];
	});
}

function groupsOf({ type, options = [] }: INodeProperties): INodeProperties[][] {
	if (type === 'collection') return [options as INodeProperties[]];
	if (type !== 'fixedCollection') return [];
	return (options as INodePropertyCollection[]).map(({ values }) => values);
}

/** Parameters of a node: each value of each of its choices once, else the defaults. */
function choicesOf({ properties }: INodeTypeDescription): Array<Record<string, unknown>> {
	const standard = Object.fromEntries(properties.map((field) => [field.name, field.default]));
	return properties.flatMap((field) =>
		optionsOf(field).map(({ value }) => ({
			...standard,
			[field.name]: field.type === 'multiOptions' ? [value] : value,
		})),
	);
}

/** What n8n makes of a subtitle, which is one expression over the parameters. */
function subtitleOf({ subtitle = '' }: INodeTypeDescription, parameters: object): string {
	const [, code] = /^=\{\{(.*)\}\}$/s.exec(subtitle) ?? [];
	const evaluate = new Function('$parameter', `return (${code})`) as (of: object) => string;
	return evaluate(parameters);
}
