// What a sleeping node remembers, and where it finds its input when it wakes.
import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import {
	readInput,
	readSleeping,
	rememberSleeping,
	type Sleeping,
} from '../../../nodes/shared/waiting/sleeping.ts';

const SLEEPING: Sleeping = {
	waitId: 'wait-1',
	secretDigest: 'digest',
	ends: ['2026-01-31T09:30:00.000Z'],
	followed: null,
	ids: [['000000000123'], null],
	faults: {},
	known: [],
	together: false,
	source: null,
};

/** A node of this name, in whose `webhook()` an expression has this value. */
function webhook(name: string, value: unknown) {
	const asked: string[] = [];
	const context = {
		getNode: () => ({ name, type: 'x', parameters: {} }),
		evaluateExpression: (expression: string) => {
			asked.push(expression);
			return value;
		},
	} as unknown as IWebhookFunctions;
	return { context, asked };
}

it('remembers in the context of the node, where its expression finds it', () => {
	const kept: Record<string, unknown> = {};
	const execute = { getContext: (kind: string) => (kind === 'node' ? kept : {}) };
	rememberSleeping(execute as unknown as IExecuteFunctions, SLEEPING);
	const [[key, value]] = Object.entries(kept);
	const { context, asked } = webhook('Await "it"', value);
	expect(readSleeping(context)).toBe(SLEEPING);
	expect(asked).toEqual([`{{ $("Await\\u0020\\u0022it\\u0022").context.${key} }}`]);
});

it.each<[string, unknown]>([
	['nothing', undefined],
	['null', null],
	['a text', 'asleep'],
	...(['waitId', 'secretDigest', 'ends', 'ids', 'known'] as const).map(
		(name): [string, unknown] => [`no ${name}`, { ...SLEEPING, [name]: undefined }],
	),
	['a number for a name', { ...SLEEPING, waitId: 1 }],
	['a number for a digest', { ...SLEEPING, secretDigest: 1 }],
	['one id in place of a list', { ...SLEEPING, ids: '000000000123' }],
])('%s is not what was remembered', (_, value) => {
	expect(() => readSleeping(webhook('Await', value).context)).toThrow(
		'The execution does not sleep',
	);
});

describe('the input', () => {
	const items = [{ json: { a: 1 } }];
	const from = (source: Sleeping['source']) => {
		const { context, asked } = webhook('Await', items);
		return { found: readInput(context, { ...SLEEPING, source }), asked };
	};

	it('is read where the execution holds it: node, output and run', () => {
		const { found, asked } = from({
			previousNode: 'A_}}',
			previousNodeOutput: 2,
			previousNodeRun: 3,
		});
		expect(found).toBe(items);
		expect(asked).toEqual(['{{ $("A_\\u007d\\u007d", true).all(2, 3) }}']);
		expect(from({ previousNode: 'A' }).asked).toEqual(['{{ $("A", true).all(0, 0) }}']);
	});

	it('is empty where nothing came before, or nothing can be read', () => {
		expect(from(null)).toEqual({ found: [], asked: [] });
		const { context } = webhook('Await', undefined);
		expect(readInput(context, { ...SLEEPING, source: { previousNode: 'A' } })).toEqual([]);
	});
});
