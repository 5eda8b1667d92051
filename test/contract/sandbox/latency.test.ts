import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import { call, control, letter, send, stateOf } from './client.ts';
import { ownSandbox } from './own.ts';

const setLatency = (sandbox: Sandbox, ...rules: object[]) =>
	control(sandbox, '/latency', { method: 'PUT', body: { rules } });

async function timed(work: Promise<unknown>): Promise<number> {
	const startedAt = performance.now();
	await work;
	return performance.now() - startedAt;
}

it('holds answers at the paths it is for; the first rule decides', async () => {
	const sandbox = await ownSandbox();
	const { json } = await setLatency(
		sandbox,
		{ method: 'GET', path: '/messages/{id}', latency: { kind: 'constant', ms: 300 } },
		{ path: '/consents', latency: { kind: 'constant', ms: 0 } },
		{ latency: { kind: 'constant', ms: 600 } },
	);
	expect(json.rules.map(({ seed }: { seed: number }) => seed)).toEqual([1, 1, 1]);
	// Timers may be a millisecond early. The order proves which rule decided, however slow the machine.
	const order: string[] = [];
	const noted = (name: string, work: Promise<unknown>) =>
		timed(work.then(() => void order.push(name)));
	const [all, one] = await Promise.all([
		noted('all', send(sandbox, letter())),
		noted('one', call(sandbox, '/messages/000000000001')),
		noted('none', call(sandbox, '/consents')),
	]);
	expect(order).toEqual(['none', 'one', 'all']);
	expect(one).toBeGreaterThan(298);
	expect(all).toBeGreaterThan(598);
	await control(sandbox, '/latency', { method: 'DELETE' });
	expect((await control(sandbox, '/latency', { method: 'GET' })).json.rules).toEqual([]);
});

it('takes profiles by name, and names what is wrong', async () => {
	const sandbox = await ownSandbox();
	for (const latency of ['nearby', 'office', 'mobile', 'slow-tail', 'overloaded'])
		expect((await setLatency(sandbox, { latency })).status).toBe(200);
	for (const latency of [
		'quick',
		{ kind: 'constant', ms: -1 },
		{ kind: 'jittered', ms: 10, jitterMs: 11 },
		{ kind: 'slowTail', ms: 10, tailMs: 5, share: 0.1 },
		{ kind: 'slowTail', ms: 10, tailMs: 50, share: 2 },
	])
		expect((await setLatency(sandbox, { latency })).status).toBe(422);
	expect((await setLatency(sandbox)).status).toBe(422);
});

it('drops the request of a client that gives up first', async () => {
	const sandbox = await ownSandbox();
	await setLatency(sandbox, { latency: { kind: 'constant', ms: 600_000 } });
	await expect(send(sandbox, letter(), { timeoutMs: 100 })).rejects.toThrow();
	await control(sandbox, '/latency', { method: 'DELETE' });
	await call(sandbox, '/consents');
	expect((await stateOf(sandbox)).messages).toEqual([]);
});
