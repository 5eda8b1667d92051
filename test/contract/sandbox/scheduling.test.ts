import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { sandboxState } from '../../support/sandbox.ts';
import { call, letter, send, sendOne, statusOf, type Call } from './client.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

const sandbox = useSandbox({ automatic: false });

const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
const scheduled = (changes: object = {}, options: Call = {}) =>
	sendOne(sandbox, { scheduledAt: ahead(20 * MINUTE), ...changes }, options);
const bulk = (what: 'reschedule' | 'cancel', body: object, options: Call = {}) =>
	call(sandbox, `/messages/bulk_${what}`, { body, ...options });

it.each(['LS', 'AES', 'LRE'])(
	'[SCHD-05][SCHD-03][S] bulk_reschedule moves %s to its new time',
	async (type) => {
		const certificate = type === 'LRE';
		const ids = [
			await scheduled({ type }, { certificate }),
			await scheduled({ type }, { certificate }),
		];
		const scheduledAt = ahead(40 * MINUTE);
		const { status, json } = await bulk('reschedule', { ids, scheduledAt });
		expect(status).toBe(200);
		expect(json).toEqual({ scheduledAt, messages: ids.map((id) => ({ id })) });
		await sandbox.control.advance(39 * MINUTE);
		expect(await statusOf(sandbox, ids[0] ?? '')).toBe('SCHEDULED');
		await sandbox.control.advance(2 * MINUTE);
		expect(await statusOf(sandbox, ids[1] ?? '')).toBe('SENT');
		const { messages } = await sandboxState(sandbox);
		expect(messages.map(({ sentAt }) => sentAt)).toEqual([scheduledAt, scheduledAt]);
	},
);

it('[SCHD-05][S] a time brought forward holds, and the message is sent once', async () => {
	const id = await scheduled({ scheduledAt: ahead(2 * DAY) });
	await bulk('reschedule', { ids: [id], scheduledAt: ahead(20 * MINUTE) });
	await sandbox.control.advance(3 * DAY);
	const { messages } = await sandboxState(sandbox);
	const sends = messages[0].history.filter(({ what }) => what === 'send');
	expect(sends).toHaveLength(1);
});

it.each(['reschedule', 'cancel'] as const)(
	'[SCHD-05][S] bulk_%s changes nothing when one id is not there or not scheduled',
	async (what) => {
		const id = await scheduled();
		const sent = await sendOne(sandbox, {});
		const foreign = await scheduled({}, { as: 'reseller' });
		const scheduledAt = ahead(DAY);
		const outcomes = [];
		for (const other of ['999999999999', foreign, sent]) {
			const { status, json } = await bulk(what, { ids: [id, other], scheduledAt });
			outcomes.push(`${status} ${json.code}`);
		}
		expect(outcomes).toEqual([
			'404 message-not-found',
			'404 message-not-found',
			'422 message-not-scheduled',
		]);
		await sandbox.control.advance(21 * MINUTE);
		expect(await statusOf(sandbox, id)).toBe('SENT');
	},
);

describe('by a clock that stands at 2030', () => {
	beforeEach(() => sandbox.control('PUT /clock', { now: '2030-01-01T00:00:00Z', frozen: true }));

	it.each([
		['2030-01-01T00:15:00Z', '2030-01-01T00:15:00.000Z'],
		['2030-04-01T00:00:00.000Z', '2030-04-01T00:00:00.000Z'],
		['2030-01-02T10:00:00+02:00', '2030-01-02T08:00:00.000Z'],
		['2030-01-02T10:00:00.5-05:30', '2030-01-02T15:30:00.500Z'],
	])('[SCHD-01][SCHD-02][S] %s is kept as %s', async (scheduledAt, kept) => {
		await sendOne(sandbox, { scheduledAt });
		expect((await sandboxState(sandbox)).messages).toMatchObject([{ scheduledAt: kept }]);
	});

	it.each([
		['2030-01-01T00:14:59.999Z', 'after', '15 minutes'],
		['2020-01-01T00:00:00Z', 'after', '15 minutes'],
		['2030-04-01T00:00:00.001Z', 'before', '90 days'],
		['2030-01-02T10:00:00', 'dateTime', 'offset'],
		['2030-01-02', 'dateTime', 'offset'],
		['2030-02-30T10:00:00Z', 'dateTime', 'ISO 8601'],
		['2030-01-02T10:00Z', 'dateTime', 'seconds'],
		['2030-01-02T10:00:00+99:99', 'dateTime', 'offset'],
		['tomorrow', 'dateTime', 'ISO 8601'],
		['1893456000', 'dateTime', 'ISO 8601'],
	])('[SCHD-01][SCHD-02][S] %s is refused by rule %s', async (scheduledAt, rule, words) => {
		const { status, json } = await send(sandbox, letter({ scheduledAt }));
		const message = expect.stringContaining(words);
		expect([status, json.data.errors]).toEqual([422, [{ field: 'scheduledAt', rule, message }]]);
	});
});
