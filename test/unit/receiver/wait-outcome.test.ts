// What the changes of a letter's record mean to who waits for it. That their order, and what tells of
// them, makes no difference is in records.test.ts.
import type { NewEvent } from '../../../webhook-receiver/src/core/changes.ts';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { eventKind, kindOfStatus } from '../../../webhook-receiver/src/core/event-kinds.ts';
import { outcomeOf } from '../../../webhook-receiver/src/core/outcome.ts';
import type { Expectation } from '../../../webhook-receiver/src/core/outcome.ts';
import { observe } from '../../../webhook-receiver/src/core/records.ts';
import type { LetterRecord } from '../../../webhook-receiver/src/core/records.ts';

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

type Type = DeliveryEvent['messageType'];

/** The outcome after webhooks with these statuses or names, each at its minute: `SENT@1 aes_failed@2`. */
function after(messageType: Type, told: string, more = {}) {
	let record: LetterRecord | null = null;
	for (const [place, one] of (told.match(/\S+/g) ?? []).entries()) {
		const [name = '', minute] = one.split('@');
		const kind = eventKind(name) ?? kindOfStatus(name, messageType);
		if (kind === null) throw new Error(`${name} is no event`);
		const occurredAt = new Date(START + Number(minute) * MINUTE + 1).toISOString();
		const event = { ...kind, messageType, messageId: '000000000123', occurredAt } as NewEvent;
		const mark = { mark: occurredAt, byContent: false };
		const webhook = { kind: 'webhook' as const, event, mark };
		({ record } = observe(record, webhook, START, () => `evt-${place}`));
	}
	const expected: Expectation = {
		messageType: record?.messageType ?? null,
		trackedMailGoal: 'opened' as const,
		...more,
	};
	const known = outcomeOf(record?.changes ?? [], expected);
	return { ...known.outcome, finality: known.isFinal ? 'final' : 'open' };
}

type Row = [Type, string, string, 'final' | 'open'];

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
		expect(after(messageType, `${name}@1`)).toMatchObject({ outcome, finality });
	});

	it.each(['AES', 'MT'] as const)('RECEIVED of %s is final where that is the goal', (type) => {
		const told = after(type, 'RECEIVED@1', { trackedMailGoal: 'received' });
		expect(told).toMatchObject({ outcome: 'received', finality: 'final' });
	});

	it.each(['LRE', null] as const)('RECEIVED of %s is not, whatever the goal', (messageType) => {
		const told = after(messageType, 'RECEIVED@1', { trackedMailGoal: 'received' });
		expect(told.finality).toBe('open');
	});

	it.each<[string, Type, string, object]>([
		['nothing', 'AES', '', { outcome: 'none', status: null, eventId: null, finality: 'open' }],
		['one that failed', 'LRE', 'lre_failed@1', { outcome: 'failed', status: null }],
		[
			'[STAT-05] bounced then received',
			'AES',
			'UNDELIVERED@1 RECEIVED@2',
			{ outcome: 'none', status: 'RECEIVED', eventId: 'evt-1', finality: 'open' },
		],
		[
			'bounced, received, bounced again',
			'AES',
			'UNDELIVERED@1 RECEIVED@2 UNDELIVERED@3',
			{ outcome: 'undelivered', status: 'UNDELIVERED', finality: 'open' },
		],
		[
			'an LS that bounced, was sent again and opened',
			'LS',
			'UNDELIVERED@1 SENT@2 RECEIVED@3',
			{ outcome: 'received', status: 'RECEIVED' },
		],
		[
			'opened, and a bounce that is told of later',
			'AES',
			'OPENED@2 UNDELIVERED@3 RECEIVED@1',
			{ outcome: 'opened', status: 'OPENED', event: 'tracked_mail.opened', eventId: 'evt-0' },
		],
		[
			'two that are final: the first counts, whichever is told of first',
			'LRE',
			'EXPIRED@3 ACCEPTED@2 SENT@1',
			{ outcome: 'accepted', occurredAt: '2026-01-01T00:02:00.001Z', eventId: 'evt-1' },
		],
	])('%s', (_, type, events, expected) => {
		expect(after(type, events)).toMatchObject(expected);
	});
});
