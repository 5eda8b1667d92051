import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import {
	executeOperation,
	operationProperties,
	type NodeOperation,
} from '../../../nodes/shared/items/operation.ts';

const field = (name: string, show?: Record<string, string[]>): INodeProperties => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
	...(show && { displayOptions: { show } }),
});
const shared = field('shared');
const operation = (value: string, ...fields: INodeProperties[]): NodeOperation => ({
	name: value,
	value,
	description: `Does ${value}`,
	action: value,
	fields,
	execute: async () => [{ json: { did: value } }],
});
const operations = [operation('one', shared), operation('two', field('kind'), shared)];
const shown = (properties: INodeProperties[]) =>
	properties.map(({ name, displayOptions }) => [name, displayOptions?.show]);

it('each field is shown for the operations that list it, and appears once', () => {
	const [resource, choice, ...fields] = operationProperties(operations, operations[1], 'Thing');
	expect(resource).toMatchObject({ name: 'resource', type: 'hidden', default: 'thing' });
	expect(choice).toMatchObject({
		name: 'operation',
		displayOptions: { show: { resource: ['thing'] } },
		default: 'two',
		options: [{ value: 'one' }, { value: 'two' }],
	});
	expect(shown(fields)).toEqual([
		['shared', { operation: ['one', 'two'] }],
		['kind', { operation: ['two'] }],
	]);
});

it('what else a field depends on stays', () => {
	const one = operation('one', field('detail', { kind: ['a'] }));
	expect(shown(operationProperties([one], one, 'Thing'))[2]).toEqual([
		'detail',
		{ operation: ['one'], kind: ['a'] },
	]);
});

it('runs the chosen operation, and none that the node does not have', async () => {
	const context = (chosen: string) =>
		({
			getNodeParameter: () => chosen,
			getNode: () => ({ name: 'N', type: 'x', parameters: {} }),
		}) as unknown as IExecuteFunctions;
	expect(await executeOperation(context('two'), operations)).toEqual([[{ json: { did: 'two' } }]]);
	await expect(executeOperation(context('three'), operations)).rejects.toThrow(
		'The node has no operation "three"',
	);
});
