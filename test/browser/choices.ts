// What a person can do in a node's panel, read from the node's description: in which order to set its
// fields, and how often to start over, so that each choice is taken once.
import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { valuesOf } from '../support/descriptions.ts';

/** One thing done in the panel. `path` is the field's own, such as `recipients.recipient[0].email`. */
export type Step =
	| { do: 'set'; path: string; field: INodeProperties; value: unknown }
	| { do: 'add entry'; path: string; entry: INodeProperties }
	| { do: 'add row'; path: string };

/** A customer of the sandbox's reseller; a locator by list takes what the list offers first. */
export const CUSTOMER_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/**
 * Ways to fill in the panel of an operation, as few as it takes to make each choice once: every value of
 * every field of choices, both of a switch, every mode of a picker, every entry of a collection, and a
 * text in every other field.
 *
 * @throws Error naming choices that no way shows
 */
export function waysToFill(description: INodeTypeDescription, operation: string | null): Step[][] {
	const known: INodeParameters = operation === null ? {} : { operation };
	const fields = description.properties.filter((field) =>
		isPossible(field, known, description.properties),
	);
	const walk = new Walk(description, fields, known);
	const ways: Step[][] = [];
	do {
		const before = walk.open();
		ways.push(walk.fill());
		if (walk.open().length === before.length && before.length > 0) {
			throw new Error(`Nothing shows: ${before.join(', ')}`);
		}
	} while (walk.open().length > 0);
	return ways;
}

/** The last that is set of each field. */
export function lastSet(steps: Step[]): Array<Extract<Step, { do: 'set' }>> {
	const set = steps.filter((step) => step.do === 'set');
	return [...new Map(set.map((step) => [step.path, step])).values()];
}

/** What n8n is to store after these steps, without the fields nobody set. */
export function stored(steps: Step[]): INodeParameters {
	const parameters: INodeParameters = {};
	for (const { path, value } of lastSet(steps)) put(parameters, path, value);
	return parameters;
}

class Walk {
	private readonly description: INodeTypeDescription;
	private readonly fields: INodeProperties[];
	private readonly known: INodeParameters;
	private readonly left = new Map<INodeProperties, unknown[]>();

	constructor(
		description: INodeTypeDescription,
		fields: INodeProperties[],
		known: INodeParameters,
	) {
		this.description = description;
		this.fields = fields;
		this.known = known;
		for (const field of withInner(fields)) {
			if (field.name in known) continue;
			this.left.set(field, choicesOf(field));
		}
	}

	/** Choices nobody has made yet. */
	open(): string[] {
		return [...this.left].flatMap(([{ name }, choices]) =>
			choices.map((choice) => `${name} = ${JSON.stringify(choice)}`),
		);
	}

	fill(): Step[] {
		const root: INodeParameters = {};
		return this.fillAll(this.fields, '', root, root, this.known);
	}

	private fillAll(
		fields: INodeProperties[],
		prefix: string,
		values: INodeParameters,
		root: INodeParameters,
		known: INodeParameters = {},
	): Step[] {
		return fields.flatMap((field) => {
			if (!this.isShown(field, values, root)) return [];
			const path = prefix + field.name;
			if (field.type === 'collection') return this.fillCollection(field, path, values, root);
			if (field.type === 'fixedCollection') return this.fillRows(field, path, values, root);
			if (this.isLeaf(field, fields)) return this.takeAll(field, path, values);
			const value = known[field.name] ?? this.choose(field, fields, values);
			values[field.name] = (value ?? field.default) as INodeParameters[string];
			if (value === undefined) return [];
			this.close(field, value);
			return [{ do: 'set', path, field, value }];
		});
	}

	private fillCollection(
		field: INodeProperties,
		path: string,
		values: INodeParameters,
		root: INodeParameters,
	): Step[] {
		const inner: INodeParameters = {};
		values[field.name] = inner;
		return (field.options as INodeProperties[]).flatMap((entry) => {
			const set = this.isShown(entry, inner, root)
				? this.fillAll([entry], `${path}.`, inner, root)
				: [];
			return set.length > 0 ? [{ do: 'add entry', path, entry }, ...set] : [];
		});
	}

	private fillRows(
		field: INodeProperties,
		path: string,
		values: INodeParameters,
		root: INodeParameters,
	): Step[] {
		const inner: INodeParameters = {};
		values[field.name] = inner;
		const isMany = field.typeOptions?.multipleValues === true;
		return (field.options as INodePropertyCollection[]).flatMap((group) => {
			const existing = [(field.default as INodeParameters)[group.name] ?? []].flat().length;
			const rows = Array.from({ length: isMany ? existing + 1 : 1 }, (_, index) => index);
			return rows.flatMap((index): Step[] => {
				const rowPath = `${path}.${group.name}${isMany ? `[${index}]` : ''}`;
				const set = this.fillAll(group.values, `${rowPath}.`, {}, root);
				const isAdded = index >= existing && set.length > 0;
				return isAdded ? [{ do: 'add row', path }, ...set] : set;
			});
		});
	}

	private isShown(field: INodeProperties, values: INodeParameters, root: INodeParameters): boolean {
		const node = { typeVersion: 1 };
		return NodeHelpers.displayParameter(values, field, node, this.description, root);
	}

	/** Whether it is a field of choices on which no other depends: all its values can go by in one way. */
	private isLeaf(field: INodeProperties, siblings: INodeProperties[]): boolean {
		if (!['options', 'boolean'].includes(field.type) || field.name === 'operation') return false;
		return ![...siblings, ...this.fields].some(({ displayOptions }) =>
			[field.name, `/${field.name}`].some((name) => displayOptions?.show?.[name]),
		);
	}

	/** Every value, that of the default first, so that another one is stored. */
	private takeAll(field: INodeProperties, path: string, values: INodeParameters): Step[] {
		const open = this.left.get(field) ?? [];
		this.left.set(field, []);
		const isDefault = (value: unknown) => Number(value === field.default);
		const inOrder = [...open].sort((a, b) => isDefault(b) - isDefault(a));
		values[field.name] = (inOrder.at(-1) ?? field.default) as INodeParameters[string];
		return inOrder.map((value) => ({ do: 'set', path, field, value }));
	}

	/** The value that leads to most of what nobody has chosen yet, itself counted; none if nothing does. */
	private choose(
		field: INodeProperties,
		siblings: INodeProperties[],
		values: INodeParameters,
	): unknown {
		const open = this.left.get(field) ?? [];
		const later = siblings.slice(siblings.indexOf(field) + 1);
		const gain = (value: unknown): number => {
			const known = { ...values, [field.name]: value as INodeParameters[string] };
			const reachable = later.filter((one) => isPossible(one, known, siblings));
			const behind = withInner(reachable).flatMap((one) => this.left.get(one) ?? []);
			return behind.length + (open.some((one) => isSame(one, value)) ? 1 : 0);
		};
		const [best] = choicesOf(field)
			.map((value) => ({ value, gain: gain(value) }))
			.sort((a, b) => b.gain - a.gain);
		return best && best.gain > 0 ? best.value : undefined;
	}

	private close(field: INodeProperties, value: unknown): void {
		const choices = this.left.get(field) ?? [];
		this.left.set(
			field,
			choices.filter((one) => !isSame(one, value)),
		);
	}
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Whether the field can come to be shown, as far as these values decide. */
function isPossible(
	field: INodeProperties,
	known: INodeParameters,
	siblings: INodeProperties[],
): boolean {
	return Object.entries(field.displayOptions?.show ?? {}).every(([name, allowed = []]) => {
		if (name in known) return allowed.includes(known[name] as never);
		const deciding = siblings.filter((one) => one.name === name);
		return deciding.length === 0 || deciding.some((one) => isPossible(one, known, siblings));
	});
}

function withInner(fields: INodeProperties[]): INodeProperties[] {
	return fields.flatMap((field) => {
		if (field.type === 'collection') return withInner(field.options as INodeProperties[]);
		if (field.type !== 'fixedCollection') return [field];
		const groups = field.options as INodePropertyCollection[];
		return groups.flatMap((group) => withInner(group.values));
	});
}

function choicesOf(field: INodeProperties): unknown[] {
	const { type, default: standard, typeOptions, modes = [] } = field;
	// An expression stays what it is.
	if (typeof standard === 'string' && standard.startsWith('=')) return [];
	switch (type) {
		case 'options':
			return valuesOf(field);
		case 'boolean':
			return [true, false];
		case 'multiOptions': {
			const chosen = standard as unknown[];
			return [[...chosen, ...valuesOf(field).filter((value) => !chosen.includes(value))]];
		}
		case 'resourceLocator':
			return modes.map(({ name }) => ({ __rl: true, mode: name, value: CUSTOMER_ID }));
		case 'number':
			return [Number(standard) + (Number(standard) === typeOptions?.maxValue ? -1 : 1)];
		case 'dateTime':
			return ['2031-02-03T04:05:06'];
		case 'json':
			return ['[{"email":"ada@recipients.example"}]'];
		case 'string':
			return [`<p>${field.displayName}</p>`];
		case 'notice':
		case 'hidden':
			return [];
		default:
			throw new Error(`Nobody has told this test how to fill in a field of type ${type}.`);
	}
}

function put(target: object, path: string, value: unknown): void {
	const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
	const last = keys.pop() as string;
	let at = target as Record<string, unknown>;
	keys.forEach((key, index) => {
		const next = keys[index + 1] ?? last;
		at = (at[key] ??= /^\d+$/.test(next) ? [] : {}) as Record<string, unknown>;
	});
	at[last] = value;
}
