// How long a batch holds its place. A mock: no real n8n withholds the end of an execution on demand,
// as one in queue mode does by a race within milliseconds.
import type { IRun, ITriggerFunctions } from 'n8n-workflow';

import { startExecution } from '../../../nodes/RegisteredDeliveryTrigger/startExecution.ts';

const MINUTE = 60_000;

let done: PromiseWithResolvers<IRun>;
const context = {
	helpers: { createDeferredPromise: () => (done = Promise.withResolvers()) },
	emit: () => undefined,
} as unknown as ITriggerFunctions;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** How the batch stands: null while its execution holds it. */
async function start() {
	const seen: { end: unknown } = { end: null };
	void startExecution(context, 'bat_1', []).then(
		() => (seen.end = 'ended'),
		(error: Error) => (seen.end = error.message),
	);
	await jest.advanceTimersByTimeAsync(10 * MINUTE - 1);
	expect(seen.end).toBe(null);
	return seen;
}

it('holds a batch until its execution has ended', async () => {
	const seen = await start();
	done.resolve({} as IRun);
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toBe('ended');
	expect(jest.getTimerCount()).toBe(0);
});

it('lets go of it after ten minutes if n8n never tells of the end', async () => {
	const seen = await start();
	await jest.advanceTimersByTimeAsync(1);
	expect(seen.end).toBe('ended');
	done.reject(new Error('much later'));
	await jest.advanceTimersByTimeAsync(0);
});

it.each([
	['a person stopped it', { reason: 'manual' }, 'ended'],
	['it took longer than n8n allows', { reason: 'timeout' }, 'ended'],
	['n8n could not start it', {}, 'No room'],
])('settles it when %s', async (_why, reason, end) => {
	const seen = await start();
	done.reject(Object.assign(new Error('No room'), reason));
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toBe(end);
});
