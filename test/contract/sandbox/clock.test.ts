import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { advance, control, person, sendOne, stateOf, statusOf } from './client.ts';
import { ownSandbox } from './own.ts';

const NEW_YEAR = '2030-01-01T00:00:00.000Z';
const setClock = (sandbox: Parameters<typeof control>[0], body: object) =>
	control(sandbox, '/clock', { method: 'PUT', body });

it('advances while it is frozen, each step at its moment, and stands again', async () => {
	const sandbox = await ownSandbox({ automatic: true, deliveryDelayMs: 1000, openDelayMs: 1000 });
	await setClock(sandbox, { now: NEW_YEAR, frozen: true });
	const id = await sendOne(sandbox, { type: 'AES', ...person('open') });
	expect((await advance(sandbox, 1500)).json).toEqual({
		now: '2030-01-01T00:00:01.500Z',
		frozen: true,
	});
	expect(await statusOf(sandbox, id)).toBe('RECEIVED');
	await advance(sandbox, 500);
	const [message] = (await stateOf(sandbox)).messages;
	expect(message.history.map(({ at }: { at: string }) => at)).toEqual([
		NEW_YEAR,
		'2030-01-01T00:00:01.000Z',
		'2030-01-01T00:00:02.000Z',
	]);
});

it('lets happen what is due when it is set to later, and undoes nothing when set to earlier', async () => {
	const sandbox = await ownSandbox();
	const id = await sendOne(sandbox, { type: 'LS' });
	const at = Date.parse((await stateOf(sandbox)).now);
	const later = new Date(at + 16 * 86_400_000).toISOString();
	await setClock(sandbox, { now: later, frozen: true });
	expect(await statusOf(sandbox, id)).toBe('EXPIRED');
	const earlier = '2020-02-29T12:00:00.000Z';
	expect((await setClock(sandbox, { now: earlier, frozen: true })).json.now).toBe(earlier);
	expect(await statusOf(sandbox, id)).toBe('EXPIRED');
	expect((await control(sandbox, '/clock', { method: 'GET' })).json.now).toBe(earlier);
});

it('still stands after a restart, and runs after a reset', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'sandbox-clock-'));
	const first = await startSandbox({ folder });
	await setClock(first, { now: NEW_YEAR, frozen: true });
	await first.close();
	const second = await ownSandbox({ folder });
	expect((await control(second, '/clock', { method: 'GET' })).json).toEqual({
		now: NEW_YEAR,
		frozen: true,
	});
	await control(second, '/reset');
	const { json } = await control(second, '/clock', { method: 'GET' });
	expect(json.frozen).toBe(false);
	expect(Math.abs(Date.parse(json.now) - Date.now())).toBeLessThan(60_000);
	await second.close();
	await rm(folder, { recursive: true });
});

it('names what is wrong', async () => {
	const sandbox = await ownSandbox();
	for (const body of [{}, { frozen: 'yes' }, { frozen: true, now: 'soon' }])
		expect((await setClock(sandbox, body)).status).toBe(422);
});
