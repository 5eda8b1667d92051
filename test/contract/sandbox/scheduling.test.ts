import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { advance, call, sendOne, stateOf, statusOf, type Call } from './client.ts';

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
		await advance(sandbox, 39 * MINUTE);
		expect(await statusOf(sandbox, ids[0] ?? '')).toBe('SCHEDULED');
		await advance(sandbox, 2 * MINUTE);
		expect(await statusOf(sandbox, ids[1] ?? '')).toBe('SENT');
		const { messages } = await stateOf(sandbox);
		expect(messages.map((message: { sentAt: string }) => message.sentAt)).toEqual([
			scheduledAt,
			scheduledAt,
		]);
	},
);

it('[SCHD-05][S] a time brought forward holds, and the message is sent once', async () => {
	const id = await scheduled({ scheduledAt: ahead(2 * DAY) });
	await bulk('reschedule', { ids: [id], scheduledAt: ahead(20 * MINUTE) });
	await advance(sandbox, 3 * DAY);
	const { messages } = await stateOf(sandbox);
	const sends = messages[0].history.filter(({ what }: { what: string }) => what === 'send');
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
		await advance(sandbox, 21 * MINUTE);
		expect(await statusOf(sandbox, id)).toBe('SENT');
	},
);
