import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { eventKind, kindOfStatus } from '../../../webhook-receiver/src/core/event-kinds.ts';
import { ERASED, advance, outcomeOf } from '../../../webhook-receiver/src/core/outcome.ts';
import type { Expectation, Progress } from '../../../webhook-receiver/src/core/outcome.ts';

const MESSAGE = '000000000123';
let sequence = 0;

/** The event of a status, or of a webhook's name such as `aes_failed`. */
function event(
	name: string,
	messageType: DeliveryEvent['messageType'],
	minute: number | null = ++sequence,
): DeliveryEvent {
	const kind = eventKind(name) ?? kindOfStatus(name, messageType);
	if (kind === null) throw new Error(`${name} is no event`);
	const at = new Date(Date.UTC(2026, 0, 1, 0, minute ?? 0)).toISOString();
	return {
		...{ id: `evt_${name}_${minute}`, sourceType: name, messageId: MESSAGE, messageType, ...kind },
		...{ occurredAt: minute === null ? null : at, receivedAt: at, sequence: ++sequence },
		...{ fileReference: null, traceparent: null, customerReference: null, raw: {} },
	};
}

const told = (events: DeliveryEvent[], expected: Partial<Expectation> = {}) =>
	events.reduce<Progress | null>(
		(so, one) => advance(so, one, { messageType: null, trackedMailGoal: 'opened', ...expected }),
		null,
	);

type Row = [DeliveryEvent['messageType'], string, string, 'final' | 'open'];

describe('what is final', () => {
	it.each<Row>([
		['LRE', 'SENT', 'none', 'open'],
		['LRE', 'RECEIVED', 'none', 'open'],
		['LRE', 'ACCEPTED', 'accepted', 'final'],
		['LRE', 'REFUSED', 'refused', 'final'],
		['LRE', 'EXPIRED', 'expired', 'final'],
		['LRE', 'UNDELIVERED', 'undelivered', 'open'],
		['LRE', 'lre_failed', 'failed', 'final'],
		['LRE', 'CANCELLED', 'failed', 'final'],
		['LRE', 'SOMETHING', 'none', 'open'],
		['LS', 'SENT', 'none', 'open'],
		['LS', 'RECEIVED', 'received', 'final'],
		['LS', 'EXPIRED', 'expired', 'final'],
		['LS', 'UNDELIVERED', 'undelivered', 'open'],
		['AS', 'RECEIVED', 'received', 'final'],
		['AES', 'SENT', 'none', 'open'],
		['AES', 'RECEIVED', 'none', 'open'],
		['AES', 'OPENED', 'opened', 'final'],
		['AES', 'EXPIRED', 'expired', 'final'],
		['AES', 'UNDELIVERED', 'undelivered', 'open'],
		['AES', 'aes_failed', 'failed', 'final'],
		['MT', 'mt_received', 'none', 'open'],
		['MT', 'mt_opened', 'opened', 'final'],
		[null, 'RECEIVED', 'none', 'open'],
		[null, 'OPENED', 'opened', 'final'],
		[null, 'ACCEPTED', 'accepted', 'final'],
	])('%s %s: %s, %s', (messageType, name, outcome, finality) => {
		const progress = told([event(name, messageType)]);
		expect(outcomeOf(MESSAGE, progress).outcome).toBe(outcome);
		expect(progress?.final === null ? 'open' : 'final').toBe(finality);
	});

	it.each(['AES', 'MT'] as const)('RECEIVED of %s is final where that is the goal', (type) => {
		const progress = told([event('RECEIVED', type)], { trackedMailGoal: 'received' });
		expect(progress?.final).toBe('received');
	});

	it.each(['LRE', null] as const)('RECEIVED of %s is not, whatever the goal', (messageType) => {
		const progress = told([event('RECEIVED', messageType)], { trackedMailGoal: 'received' });
		expect(progress?.final).toBe(null);
	});

	it('the type the node gave counts where the event tells none', () => {
		const received = event('RECEIVED', null);
		expect(told([received], { messageType: 'LS' })?.final).toBe('received');
		expect(told([received], { messageType: 'LRE' })?.final).toBe(null);
		expect(told([event('RECEIVED', 'LRE')], { messageType: 'LS' })?.final).toBe(null);
	});
});

describe('of several events', () => {
	const permutations = <T>(all: T[]): T[][] =>
		all.length < 2
			? [all]
			: all.flatMap((one, n) =>
					permutations(all.filter((_, other) => other !== n)).map((rest) => [one, ...rest]),
				);

	it.each<[string, DeliveryEvent[], object]>([
		[
			'[STAT-05] bounced then received',
			[event('UNDELIVERED', 'AES', 1), event('RECEIVED', 'AES', 2)],
			{ outcome: 'none', status: 'RECEIVED' },
		],
		[
			'bounced, received, bounced again',
			[event('UNDELIVERED', 'AES', 1), event('RECEIVED', 'AES', 2), event('UNDELIVERED', 'AES', 3)],
			{ outcome: 'undelivered', status: 'UNDELIVERED' },
		],
		[
			'an LS that bounced, was sent again and opened',
			[event('UNDELIVERED', 'LS', 1), event('SENT', 'LS', 2), event('RECEIVED', 'LS', 3)],
			{ outcome: 'received', status: 'RECEIVED' },
		],
		[
			'opened, and a bounce that is told of later',
			[event('OPENED', 'AES', 2), event('UNDELIVERED', 'AES', 3), event('RECEIVED', 'AES', 1)],
			{ outcome: 'opened', status: 'OPENED', event: 'tracked_mail.opened' },
		],
		[
			'two that are final: the first counts',
			[event('ACCEPTED', 'LRE', 2), event('EXPIRED', 'LRE', 3), event('SENT', 'LRE', 1)],
			{ outcome: 'accepted' },
		],
	])('%s, in whatever order they come', (_, events, expected) => {
		for (const order of permutations(events)) {
			expect(outcomeOf(MESSAGE, told(order))).toMatchObject(expected);
			// Once more changes nothing.
			expect(told([...order, ...order])).toEqual(told(order));
		}
	});

	it('without a time of the service, by when they came', () => {
		const [first, second] = [event('UNDELIVERED', 'AES', null), event('RECEIVED', 'AES', null)];
		expect(outcomeOf(MESSAGE, told([second, first])).status).toBe('RECEIVED');
	});

	it('what was erased stays so, and tells nothing', () => {
		const progress = advance(ERASED, event('ACCEPTED', 'LRE'), {
			...{ messageType: 'LRE', trackedMailGoal: 'opened' },
		});
		expect(outcomeOf(MESSAGE, progress)).toEqual({
			id: MESSAGE,
			...{ outcome: 'erased', status: null, occurredAt: null, event: null, eventId: null },
		});
	});

	it('what says nothing of the message is passed over', () => {
		const unknown = { ...event('SENT', 'AES'), type: 'unknown' as const, status: null };
		expect(told([unknown])).toBe(null);
		expect(outcomeOf(MESSAGE, null)).toEqual({
			id: MESSAGE,
			...{ outcome: 'none', status: null, occurredAt: null, event: null, eventId: null },
		});
	});
});
