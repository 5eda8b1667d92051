// n8n's lint rules over what the nodes really show. In the sources they see only what is written out: most
// fields here are made of others, and an operation is an object of its own.
import { config } from '@n8n/node-cli/eslint';
import { Linter } from 'eslint';

import { nodeDescriptions } from '../../../support/descriptions.ts';

const OFF = {
	// Takes "(charged)" for a capital; guidelines.test.ts looks at actions.
	'n8n-nodes-base/node-param-operation-option-action-miscased': 'off',
	// Fields of a recipient stand in the order in which one writes them, most of them required.
	'n8n-nodes-base/node-param-fixed-collection-type-unsorted-items': 'off',
};

it.each(nodeDescriptions().map(({ name, properties }) => [name, properties] as const))(
	'the fields of %s keep every rule of n8n’s lint',
	(name, properties) => {
		// As a programmer would write it, a member a line.
		const written = JSON.stringify(properties, null, '\t').replace(/^(\t*)"(\w+)":/gm, '$1$2:');
		const source = [
			"import type { INodeProperties } from 'n8n-workflow';",
			`export const fields: INodeProperties[] = ${written};`,
		].join('\n');
		const linter = new Linter({ configType: 'flat' });
		const found = linter.verify(source, [...config, { files: ['**/*.ts'], rules: OFF }] as never, {
			filename: `nodes/${name}/fields.ts`,
		});
		const lines = source.split('\n');
		expect(found.map(({ line, message }) => [lines[line - 1].trim(), message])).toEqual([]);
	},
);
