// What the direct trigger makes of one request: each event once, as a receiver would.
import { takeDirectEvents } from '../../../nodes/RegisteredDeliveryDirectTrigger/directEvents.ts';
import {
	EventMemory,
	KEPT_MS,
} from '../../../nodes/RegisteredDeliveryDirectTrigger/eventMemory.ts';
import { parseBody } from '../../../webhook-receiver/src/core/parse-body.ts';

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const MINUTE = 60_000;
const ID = '000000000123';
const ALL = { events: ['*'] };

const event = (name: string, more: object = {}) => ({ event: name, messageId: ID, ...more });
const at = (minute: number) => ({ timestamp: new Date(NOW + minute * MINUTE).toISOString() });

function trigger(selection: { events: string[] } = ALL) {
	const memory = new EventMemory(100);
	const take = (raws: readonly unknown[], now = NOW, headers = {}) =>
		takeDirectEvents(
			parseBody(Buffer.from(JSON.stringify(raws)), 'application/json'),
			...([headers, selection, memory, now] as const),
		);
	/** The types that start the workflow. */
	const started = (raw: unknown, now = NOW) => take([raw], now).events.map(({ type }) => type);
	return { memory, take, started };
}

it('[EVNT-01][T] gives the selected events of a request, in order, as a receiver gives them', () => {
	const { take } = trigger({ events: ['tracked_mail.sent', 'tracked_mail.opened'] });
	const raws = [event('aes_sent', at(0)), event('aes_received'), event('mt_opened', at(1))];
	const { events, duplicates } = take(raws);
	expect(events).toMatchObject([
		{ type: 'tracked_mail.sent', messageId: ID, raw: raws[0] },
		{ type: 'tracked_mail.opened', messageId: ID, raw: raws[2] },
	]);
	for (const { id, receivedAt } of events) {
		expect(id).toMatch(/^evt_[0-9a-f]{32}$/);
		expect(receivedAt).toBe(new Date(NOW).toISOString());
	}
	expect(duplicates).toBe(0);
});

it('each event has a later sequence, which follows the clock and never goes back', () => {
	const { take } = trigger();
	const sequences = [NOW + 10, NOW + 10, NOW + 5 * MINUTE, NOW].map((now, n) => {
		return take([event('aes_sent', { n, id: `e${n}` })], now).events[0].sequence;
	});
	const [first] = sequences;
	expect(first).toBeGreaterThanOrEqual(NOW + 10);
	expect(sequences).toEqual([first, first + 1, NOW + 5 * MINUTE, NOW + 5 * MINUTE + 1]);
});

describe('[EVNT-05][T] a second arrival', () => {
	it('starts nothing, in another request or in the same', () => {
		const { take } = trigger();
		const raw = event('aes_sent', at(0));
		expect(take([raw, raw])).toMatchObject({ events: [{ messageId: ID }], duplicates: 1 });
		expect(take([raw], NOW + KEPT_MS - 1)).toEqual({ events: [], noted: [], duplicates: 1 });
		expect(take([raw], NOW + KEPT_MS).events).toHaveLength(1);
	});

	it('is not counted where it would not have been selected', () => {
		const { take } = trigger({ events: ['tracked_mail.sent'] });
		const bounce = event('aes_undelivered', at(0));
		expect(take([bounce, bounce])).toMatchObject({ events: [], duplicates: 0 });
	});

	it('of a body without id and time counts again after ten minutes, as another event', () => {
		const { take } = trigger();
		const raw = { event: 'aes_sent' };
		const [first] = take([raw]).events;
		expect(take([raw], NOW + 10 * MINUTE - 1).events).toEqual([]);
		const [second] = take([raw], NOW + 10 * MINUTE).events;
		expect(second.id).not.toBe(first.id);
		expect([first.id, second.id]).toEqual([
			expect.stringMatching(/^evt_[0-9a-f]{32}$/),
			expect.stringMatching(/^evt_[0-9a-f]{32}$/),
		]);
	});

	it('has the same id in another process, if its message and time identify it', () => {
		const raw = event('aes_sent', at(0));
		const [one, other] = [trigger(), trigger()].map(({ take }) => take([raw]).events[0].id);
		expect(one).toBe(other);
		const later = trigger().take([raw], NOW + 1).events[0].id;
		expect(later).toBe(one);
	});

	it('is told by the request’s id too, which numbers the events of one request', () => {
		const { take } = trigger();
		const headers = { 'webhook-id': 'msg_1' };
		const raw = { event: 'aes_sent' };
		expect(take([raw, raw], NOW, headers).events).toHaveLength(2);
		expect(take([raw, raw], NOW, headers)).toMatchObject({ events: [], duplicates: 2 });
	});
});

it('notes what it has taken, so that a start that fails can be forgotten', () => {
	const { memory, take } = trigger({ events: ['tracked_mail.sent'] });
	const raw = event('aes_sent', at(0));
	const { noted } = take([raw, event('aes_received', at(0))]);
	expect(noted).toEqual([{ key: ID, mark: at(0).timestamp }]);
	expect(memory.get(ID, NOW)?.until).toBe(NOW + KEPT_MS);
	for (const { key, mark } of noted) memory.forget(key, mark);
	expect(take([raw]).events).toHaveLength(1);
});

describe('[STAT-05][T] after a bounce', () => {
	const received = event('aes_received');
	const bounced = event('aes_undelivered');

	it.each([
		['selected', ALL],
		['not selected', { events: ['tracked_mail.received'] }],
	])(
		'a delivery that looks the same is a new one, also where the bounce was %s',
		(_, selection) => {
			const { started } = trigger(selection);
			expect(started(received)).toEqual(['tracked_mail.received']);
			expect(started(received)).toEqual([]);
			started(bounced);
			expect(started(received)).toEqual(['tracked_mail.received']);
			expect(started(received)).toEqual([]);
		},
	);

	it('is that of its own message only', () => {
		const { started } = trigger();
		started(received);
		started({ ...bounced, messageId: '000000000999' });
		started({ event: 'aes_undelivered' });
		expect(started(received)).toEqual([]);
	});

	it('it is remembered with its time for as long as any event', () => {
		const { memory, take } = trigger({ events: ['tracked_mail.received'] });
		expect(take([{ ...bounced, ...at(0) }]).noted).toEqual([{ key: ID, mark: at(0).timestamp }]);
		expect(memory.get(ID, NOW)).toMatchObject({
			until: NOW + KEPT_MS,
			record: { changes: [{ step: 'UNDELIVERED', mark: at(0).timestamp }] },
		});
	});
});
