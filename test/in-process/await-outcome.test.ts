// Await Outcome before it sleeps: whatever goes wrong, no letter passes for accepted.
import type { INodeExecutionData } from 'n8n-workflow';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
import { byReceiver } from '../support/sandbox.ts';

const { outputNames: names = [] } = new AwaitOutcome().description;

const run = async (parameters: object, onError: RunOptions['onError'], count = 2) => {
	const { run: result, error } = await runNode(new AwaitOutcome(), {
		parameters: { messageId: '={{ $json.messageId }}', ...parameters } as never,
		credentials: {
			registeredDeliveryApi: byReceiver('http://localhost:1', 'token'),
		},
		items: Array.from({ length: count }, (_, index) => ({
			json: { messageId: String(index).padStart(12, '0') },
		})),
		onError,
	});
	const outputs = result.data.resultData.runData['Under Test']?.at(-1)?.data?.main ?? [];
	return { error, outputs: outputs.map((items) => items ?? []) };
};

const wrong: Array<[string, object, RegExp, number]> = [
	['the receiver is down', {}, /webhook receiver cannot be reached/, 2],
	[
		'the date is none',
		{ deadlineMode: 'at', deadlineAt: '2030' },
		/^Row 1 of 2: Wait Until: "2030" is not a/,
		2,
	],
	['there are too many', {}, /There are 1001 letters to wait for/, 1001],
	[
		'an option came out empty',
		{ options: { routeItems: '={{ $json.nope }}' } },
		/^Row 1 of 2: Route Items: It is empty for this item/,
		2,
	],
];

describe.each(wrong)('%s', (_title, parameters, words, count) => {
	const expectErrors = (items: INodeExecutionData[]) => {
		expect(items).toHaveLength(count);
		for (const [item, { json, pairedItem }] of items.entries()) {
			expect(json.error).toMatch(words);
			expect(pairedItem).toEqual({ item });
		}
	};

	it('stops the workflow, and claims nothing of what was sent', async () => {
		const { error, outputs } = await run(parameters, undefined, count);
		expect(error?.message).toMatch(words);
		expect(error?.description).not.toContain('sent');
		expect(outputs.flat()).toEqual([]);
	});

	it('On Error: Continue lets all items leave by the last output, with their error', async () => {
		const { error, outputs } = await run(parameters, 'continueRegularOutput', count);
		expect(error).toBeUndefined();
		expectErrors(outputs[names.length - 1]);
		expect(outputs.slice(0, names.length - 1).flat()).toEqual([]);
	});

	it('with an error output they leave by that', async () => {
		const { outputs } = await run(parameters, 'continueErrorOutput', count);
		expectErrors(outputs[names.length]);
		expect(outputs.slice(0, names.length).flat()).toEqual([]);
	});
});

it('a wrong message id claims nothing of what was sent', async () => {
	const { error } = await run({ messageId: '12' }, undefined);
	expect(error?.message).toMatch(/^Row 1 of 2: Message ID: "12" is not a message ID/);
	expect(error?.description).toBe('Correct the parameter "Message ID" of row 1.');
});
