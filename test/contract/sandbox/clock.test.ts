import type { Input } from '../../../sandbox/src/client/client.ts';
import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { sandboxState } from '../../support/sandbox.ts';
import { call, person, sendOne, statusOf } from './client.ts';
import { ownSandbox } from './own.ts';

const NEW_YEAR = '2030-01-01T00:00:00.000Z';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const sandbox = useSandbox({ deliveryDelayMs: HOUR, openDelayMs: HOUR });

const setClock = (time: Input<'PUT /clock'>) => sandbox.control('PUT /clock', time);
const advance = (ms: number) => sandbox.control.advance(ms);

it('advances while it is frozen, each step at its moment, and stands again', async () => {
	await setClock({ now: NEW_YEAR, frozen: true });
	const id = await sendOne(sandbox, { type: 'AES', ...person('open') });
	expect(await advance(1.5 * HOUR)).toMatchObject({
		now: '2030-01-01T01:30:00.000Z',
		frozen: true,
	});
	expect(await statusOf(sandbox, id)).toBe('RECEIVED');
	expect((await advance(0.5 * HOUR)).happened).toEqual({ open: 1 });
	const [message] = (await sandboxState(sandbox)).messages;
	expect(message.history.map(({ at }) => at)).toEqual([
		NEW_YEAR,
		'2030-01-01T01:00:00.000Z',
		'2030-01-01T02:00:00.000Z',
	]);
});

it('tells what happened to how many letters while it advanced', async () => {
	await setClock({ now: NEW_YEAR, frozen: true });
	await sendOne(sandbox, { type: 'LS', ...person('never') });
	await sendOne(sandbox, { type: 'AES', ...person('open') });
	expect((await advance(0)).happened).toEqual({});
	expect((await advance(16 * DAY)).happened).toEqual({ deliver: 2, open: 1, expire: 1 });
});

it('tells anybody at the address of the service what time it is here, and that this is a sandbox', async () => {
	await setClock({ now: NEW_YEAR, frozen: true });
	const asked = await call(sandbox, '/_sandbox/clock', { as: null });
	expect([asked.status, asked.json]).toEqual([200, { now: NEW_YEAR, frozen: true, sandbox: true }]);
	// Nor is it a request to the service.
	expect((await sandboxState(sandbox)).requests).toEqual([]);
});

it('what falls due at the same moment happens in its order', async () => {
	const own = await ownSandbox({ automatic: true, deliveryDelayMs: HOUR, openDelayMs: 0 });
	const id = await sendOne(own, { type: 'AES', ...person('open') });
	await own.control.advance(HOUR);
	expect(await statusOf(own, id)).toBe('OPENED');
});

it('lets happen what is due when it is set to later, and undoes nothing when set to earlier', async () => {
	const id = await sendOne(sandbox, { type: 'LS', ...person('never') });
	const { now } = await sandbox.control('GET /clock');
	await setClock({ now: new Date(Date.parse(now) + 16 * DAY).toISOString(), frozen: true });
	expect(await statusOf(sandbox, id)).toBe('EXPIRED');
	const earlier = '2020-02-29T12:00:00.000Z';
	expect(await setClock({ now: earlier, frozen: true })).toMatchObject({
		now: earlier,
		frozen: true,
	});
	expect(await statusOf(sandbox, id)).toBe('EXPIRED');
});
