import { stringify } from 'flatted';

import { toStored } from '../../n8n/executions.ts';

const run = (executionIndex: number, json: object, previousNode?: string) => ({
	executionIndex,
	source: previousNode === undefined ? [] : [{ previousNode }],
	data: { main: [[{ json }]] },
});

test('What n8n puts in place of the items that it lost in a crash is no output, nor input of the next', () => {
	const lost = { isArtificialRecoveredEventItem: true };
	const runData = {
		Start: [run(0, { url: 'http://localhost' })],
		'Send Letter': [run(1, lost, 'Start'), run(3, { messageId: '1' }, 'Start')],
		'Await Outcome': [run(2, lost, 'Send Letter')],
	};
	const execution = {
		id: 2,
		mode: 'retry',
		status: 'success',
		retryOf: 1,
		startedAt: 0,
		stoppedAt: 1,
		deduplicationKey: null,
		deletedAt: null,
	};

	const { started, runs } = toStored({
		...execution,
		data: stringify({ resultData: { runData } }),
	});

	expect(started).toEqual([{ json: { url: 'http://localhost' } }]);
	expect(runs).toEqual({
		Start: [{ input: [], outputs: [started] }],
		'Send Letter': [
			{ input: started, outputs: [] },
			{ input: started, outputs: [[{ json: { messageId: '1' } }]] },
		],
		'Await Outcome': [{ input: [], outputs: [] }],
	});
});
