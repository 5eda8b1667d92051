// How long a batch holds its place. A mock: no real n8n withholds the end of an execution on demand,
// as one in queue mode does by a race within milliseconds.
import type { IRun, ITriggerFunctions } from 'n8n-workflow';

import { startExecution } from '../../../nodes/RegisteredDeliveryTrigger/startExecution.ts';

const MINUTE = 60_000;

type Emit = ITriggerFunctions['emit'];
let done: NonNullable<Parameters<Emit>[2]>;
let response: NonNullable<Parameters<Emit>[1]>;
const context = {
	helpers: { createDeferredPromise: () => Promise.withResolvers() },
	emit: (...[, ofResponse, ofRun]: Parameters<Emit>) => {
		if (ofResponse === undefined || ofRun === undefined) throw new Error('Nobody would know');
		[response, done] = [ofResponse, ofRun];
	},
} as unknown as ITriggerFunctions;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** How the batch stands: null while its execution holds it, as it still does after so long. */
async function start(held = 10 * MINUTE - 1) {
	const seen: { end: unknown } = { end: null };
	void startExecution(context, 'bat_1', []).then(
		(lost) => (seen.end = lost ?? 'ended'),
		(error: Error) => (seen.end = error.message),
	);
	await jest.advanceTimersByTimeAsync(held);
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

it('lets go of it five seconds after a worker told of the end, if n8n itself does not', async () => {
	const seen = await start(MINUTE);
	response.resolve({});
	await jest.advanceTimersByTimeAsync(4_999);
	expect(seen.end).toBe(null);
	await jest.advanceTimersByTimeAsync(1);
	expect(seen.end).toBe('ended');
	expect(jest.getTimerCount()).toBe(0);
});

it('lets n8n say first that it failed to start, whatever becomes of the response', async () => {
	const seen = await start(MINUTE);
	response.reject(new Error('No room'));
	await jest.advanceTimersByTimeAsync(1_000);
	done.reject(new Error('No room'));
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toBe('No room');
	expect(jest.getTimerCount()).toBe(0);
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

const failure = { message: 'No worker lived' };
const record = [{}];
it.each([
	['keeps nothing but the failure', 'error', {}, 'n8n failed the execution and stored none'],
	[
		'does not even say why',
		'error',
		{ error: undefined },
		'n8n failed the execution and stored none',
	],
	['keeps what its nodes did', 'error', { runData: { Trigger: record } }, 'ended'],
	['names the last node, as of a worker', 'error', { lastNodeExecuted: 'Fail' }, 'ended'],
	['has it from a worker that ended well', 'success', { error: undefined }, 'ended'],
	['has it from a worker where it sleeps', 'waiting', { error: undefined }, 'ended'],
])('of an execution n8n %s: %s', async (_what, status, result, end) => {
	const seen = await start();
	const resultData = { error: failure, runData: {}, ...result };
	done.resolve({ status, data: { resultData } } as unknown as IRun);
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toMatch(new RegExp(`^${end}`));
});

it('starts no second execution of a batch, of which n8n then tells nothing', async () => {
	const seen = await start();
	done.resolve(undefined as unknown as IRun);
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toBe('ended');
});
