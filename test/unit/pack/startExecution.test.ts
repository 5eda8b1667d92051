// How long a batch holds its place. A mock: no real n8n withholds the end of an execution on demand,
// as one in queue mode does by a race within milliseconds.
import type { IRun, ITriggerFunctions } from 'n8n-workflow';

import { startExecution } from '../../../nodes/RegisteredDeliveryTrigger/startExecution.ts';

const MINUTE = 60_000;

type Emit = ITriggerFunctions['emit'];
let done: NonNullable<Parameters<Emit>[2]>;
let response: NonNullable<Parameters<Emit>[1]>;
let keys: Array<Parameters<Emit>[3]>;
let isPublished: boolean;
const context = {
	helpers: { createDeferredPromise: () => Promise.withResolvers() },
	emit: (...[, ofResponse, ofRun, key]: Parameters<Emit>) => {
		keys.push(key);
		if (ofResponse === undefined || ofRun === undefined) throw new Error('Nobody would know');
		[response, done] = [ofResponse, ofRun];
	},
} as unknown as ITriggerFunctions;

beforeEach(() => {
	jest.useFakeTimers();
	keys = [];
	isPublished = true;
});
afterEach(() => jest.useRealTimers());

/** How the batch stands: null while its execution holds it, as it still does after so long. */
async function start(held = 10 * MINUTE - 1, id = 'bat_1', attempt = 1) {
	const seen: { end: unknown } = { end: null };
	void startExecution(context, { id, attempt }, [], () => isPublished).then(
		({ outcome, reason = '' }) => (seen.end = `${outcome} ${reason}`.trim()),
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
	expect(seen.end).toBe('ack');
	expect(jest.getTimerCount()).toBe(0);
});

it('lets go of it after ten minutes if n8n never tells of the end', async () => {
	const seen = await start();
	await jest.advanceTimersByTimeAsync(1);
	expect(seen.end).toBe('ack');
	done.reject(new Error('much later'));
	await jest.advanceTimersByTimeAsync(0);
});

it('keeps it in hand while the workflow is not published, since it may have been deleted with its executions', async () => {
	isPublished = false;
	const seen = await start(60 * MINUTE);
	isPublished = true;
	await jest.advanceTimersByTimeAsync(10 * MINUTE);
	expect(seen.end).toBe('ack');
	expect(jest.getTimerCount()).toBe(0);
});

it('lets go of it five seconds after a worker told of the end, if n8n itself does not', async () => {
	const seen = await start(MINUTE);
	response.resolve({});
	await jest.advanceTimersByTimeAsync(4_999);
	expect(seen.end).toBe(null);
	await jest.advanceTimersByTimeAsync(1);
	expect(seen.end).toBe('ack');
	expect(jest.getTimerCount()).toBe(0);
});

it('asks again when n8n rejects it, under the same key, and throws if n8n still does', async () => {
	const seen = await start(0);
	done.reject(new Error('No room'));
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toBe(null);
	expect(keys).toEqual(['registered-delivery~bat_1', 'registered-delivery~bat_1']);
	done.reject(new Error('No room'));
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toBe('No room');
	expect(jest.getTimerCount()).toBe(0);
});

it('goes on with the second, if n8n starts that', async () => {
	const seen = await start(0, 'bat_2');
	done.reject(new Error('No room'));
	await jest.advanceTimersByTimeAsync(MINUTE);
	done.resolve({ status: 'success' } as IRun);
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toBe('ack');
});

const GONE = new Error('Node "Send" does not have access to the credential');
const LOST = `term n8n failed the execution and stored none of its events, so it cannot be retried there. ${GONE.message}`;

it.each<[string, () => void]>([
	['that there is no such execution', () => done.reject(new Error('No active execution'))],
	['nothing', () => done.resolve(undefined as unknown as IRun)],
])(
	'that n8n stored without its events is lost, with n8n’s reason: the run’s promise says %s',
	async (_says, settle) => {
		const seen = await start(0, 'bat_3');
		response.reject(GONE);
		settle();
		await jest.advanceTimersByTimeAsync(0);
		expect(seen.end).toBe(null);
		done.resolve(undefined as unknown as IRun);
		await jest.advanceTimersByTimeAsync(0);
		expect(seen.end).toBe(LOST);
		expect(jest.getTimerCount()).toBe(0);
	},
);

it('is lost too if n8n rejected it twice and stored it then', async () => {
	const seen = await start(0, 'bat_4');
	done.reject(new Error('No room'));
	await jest.advanceTimersByTimeAsync(0);
	done.reject(new Error('No room'));
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toBe('No room');
	const again = await start(0, 'bat_4');
	done.resolve(undefined as unknown as IRun);
	await jest.advanceTimersByTimeAsync(0);
	expect(again.end).toMatch(/^term n8n failed .* No room$/);
	// Once told, it is another process that finds an execution.
	const restored = await start(0, 'bat_4');
	done.resolve(undefined as unknown as IRun);
	await jest.advanceTimersByTimeAsync(0);
	expect(restored.end).toMatch(/^ack n8n already had an execution/);
});

it('may be lost if an earlier process had it: what n8n has may be that one’s', async () => {
	const seen = await start(0, 'bat_6', 2);
	done.reject(new Error('No room'));
	await jest.advanceTimersByTimeAsync(0);
	done.resolve(undefined as unknown as IRun);
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toMatch(/^term n8n has an execution of this batch, and .* No room$/);
});

it('is not lost if n8n started it at last, and stopped then', async () => {
	const seen = await start(0, 'bat_5');
	done.reject(new Error('No room'));
	await jest.advanceTimersByTimeAsync(0);
	done.reject(Object.assign(new Error('Stopping'), { reason: 'shutdown' }));
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toBe('Stopping');
	const again = await start(0, 'bat_5');
	done.resolve(undefined as unknown as IRun);
	await jest.advanceTimersByTimeAsync(0);
	expect(again.end).toMatch(/^ack/);
});

it.each([
	['a person stopped it', 'manual', 'ack'],
	['it took longer than n8n allows', 'timeout', 'ack'],
	['n8n stops', 'shutdown', 'Cancelled'],
])('settles it when %s, and starts nothing again', async (_why, reason, end) => {
	const seen = await start(0);
	const cancelled = Object.assign(new Error('Cancelled'), { reason });
	response.reject(cancelled);
	done.reject(cancelled);
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toBe(end);
	expect(keys).toHaveLength(1);
});

const failure = { message: 'No worker lived' };
const record = [{}];
it.each([
	['keeps nothing but the failure', 'error', {}, 'term n8n failed the execution and stored none'],
	[
		'does not even say why',
		'error',
		{ error: undefined },
		'term n8n failed the execution and stored none',
	],
	['keeps what its nodes did', 'error', { runData: { Trigger: record } }, 'ack'],
	['names the last node, as of a worker', 'error', { lastNodeExecuted: 'Fail' }, 'ack'],
	['has it from a worker that ended well', 'success', { error: undefined }, 'ack'],
	['has it from a worker where it sleeps', 'waiting', { error: undefined }, 'ack'],
])('of an execution n8n %s: %s', async (_what, status, result, end) => {
	const seen = await start();
	const resultData = { error: failure, runData: {}, ...result };
	done.resolve({ status, data: { resultData } } as unknown as IRun);
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toMatch(new RegExp(`^${end}`));
});

it('starts no second execution of a batch, and says that it found one', async () => {
	const seen = await start(0);
	done.resolve(undefined as unknown as IRun);
	await jest.advanceTimersByTimeAsync(0);
	expect(seen.end).toMatch(/^ack n8n already had an execution of this batch/);
});
