import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

const manifest = join(process.cwd(), 'package.json');

/** One of each class that package.json lists, so that a new one is included on its own. */
function listed<T>(kind: 'nodes' | 'credentials', ending: string): T[] {
	const { n8n } = JSON.parse(readFileSync(manifest, 'utf8')) as { n8n: Record<string, string[]> };
	const require = createRequire(manifest);
	return n8n[kind].map((built) => {
		const source = built.replace(/^dist\//, './').replace(/\.js$/, '.ts');
		const { [basename(source, ending)]: Class } = require(source) as Record<string, new () => T>;
		return new Class();
	});
}

/** Descriptions of all nodes. */
export function nodeDescriptions(): INodeTypeDescription[] {
	return listed<INodeType>('nodes', '.node.ts').map(({ description }) => description);
}

/** All credentials. */
export function credentialTypes(): ICredentialType[] {
	return listed<ICredentialType>('credentials', '.credentials.ts');
}

/** The values of the field `operation`; a node without it does one thing, `null`. */
export function operationsOf({ properties }: INodeTypeDescription): Array<string | null> {
	const values = properties.filter(({ name }) => name === 'operation').flatMap(valuesOf);
	return values.length > 0 ? values.map(String) : [null];
}

/** The values of an options field. */
export function valuesOf({ options = [] }: INodeProperties): unknown[] {
	return options.flatMap((option) => ('value' in option ? [option.value] : []));
}

/** A field, and where a user finds it, such as "Send Letter: Options: Sender". */
export interface PlacedField {
	place: string;
	field: INodeProperties;
}

/** All fields, those inside of others after them. */
export function fieldsWithin(place: string, fields: INodeProperties[]): PlacedField[] {
	return fields.flatMap((field) => {
		const own = `${place}: ${field.displayName}`;
		return [{ place: own, field }, ...innerFields(own, field)];
	});
}

function innerFields(place: string, { type, options = [] }: INodeProperties): PlacedField[] {
	if (type === 'collection') return fieldsWithin(place, options as INodeProperties[]);
	if (type !== 'fixedCollection') return [];
	const groups = options as INodePropertyCollection[];
	return groups.flatMap(({ displayName, values }) =>
		fieldsWithin(`${place}: ${displayName}`, values),
	);
}
