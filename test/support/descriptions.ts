import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type { INodeProperties, INodeType, INodeTypeDescription } from 'n8n-workflow';

/** Descriptions of all nodes listed in package.json, so that a new node is included on its own. */
export function nodeDescriptions(): INodeTypeDescription[] {
	const root = process.cwd();
	const { n8n } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[] };
	};
	const require = createRequire(join(root, 'package.json'));
	return n8n.nodes.map((built) => {
		const source = built.replace(/^dist\//, './').replace(/\.js$/, '.ts');
		const { [basename(source, '.node.ts')]: Node } = require(source) as Record<
			string,
			new () => INodeType
		>;
		return new Node().description;
	});
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
