// The fold over what the receiver learns of a letter, by single cases; its properties are in
// records.test.ts, whole lives in contract/receiver/watching-sandbox.test.ts.
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { kindOfStatus } from '../../../webhook-receiver/src/core/event-kinds.ts';
import { hasGaps, observe, statusOf, watched } from '../../../webhook-receiver/src/core/records.ts';

type NewEvent = Omit<DeliveryEvent, 'sequence'>;

const MINUTE = 60_000;
const ID = '000000000001';
const START = Date.UTC(2026, 0, 5, 9);

/**
 * `poll:RECEIVED` is what a poll sees, `hook:RECEIVED` a webhook without a time, `hook:RECEIVED@30` one
 * that names the minute of its change. Each step is ten minutes after the one before.
 */
function live(
	steps: string[],
	messageType: 'AES' | 'LRE' = 'AES',
	/** What who asked to watch it said. */
	told: 'AES' | 'LRE' | null = messageType,
) {
	let record = watched(null, told === null ? {} : { messageType: told }, START);
	const made: string[] = [];
	for (const [index, text] of steps.entries()) {
		const now = START + (index + 1) * 10 * MINUTE;
		const [, by, status = '', minute] = /^(poll|hook):([A-Z]+)(?:@(\d+))?$/.exec(text) ?? [];
		const time = minute && new Date(START + Number(minute) * MINUTE).toISOString();
		const event = {
			...kindOfStatus(status, messageType),
			sourceType: `aes_${status}`,
			messageType,
			messageId: ID,
			fileReference: null,
			customerReference: null,
			occurredAt: time ?? null,
		} as NewEvent;
		const mark = { mark: time ?? `content of ${status}`, byContent: time === undefined };
		const seen = observe(
			record,
			by === 'poll'
				? { kind: 'status', messageId: ID, status, evidences: [] }
				: { kind: 'webhook', event, mark },
			now,
			() => 'evt',
		);
		({ record } = seen);
		made.push(...seen.events.map(({ type }) => type));
	}
	const short = made.map((type) => type.replace('tracked_mail.', ''));
	const end = record.watch?.endReason;
	const order = record.changes.map(({ step }) => step).join(' ');
	return { made: short.join(' '), status: statusOf(record), end, asks: hasGaps(record), order };
}

it.each([
	[['poll:SENT', 'poll:RECEIVED', 'poll:UNDELIVERED', 'poll:RECEIVED']],
	[['poll:SENT', 'poll:RECEIVED', 'hook:UNDELIVERED@25', 'hook:RECEIVED@35']],
	[['poll:SENT', 'hook:RECEIVED@12', 'poll:UNDELIVERED', 'hook:RECEIVED@35', 'poll:RECEIVED']],
	[['hook:SENT@1', 'poll:RECEIVED', 'hook:UNDELIVERED@25', 'poll:RECEIVED', 'hook:RECEIVED@35']],
	// All have the time of the letter: a second delivery looks like the first.
	[['hook:SENT@1', 'hook:RECEIVED@1', 'hook:UNDELIVERED@1', 'hook:RECEIVED@1', 'hook:RECEIVED@1']],
	// Polls saw the second delivery after the webhook of the bounce: a time before that is not its own.
	[['hook:SENT@1', 'hook:UNDELIVERED@8', 'poll:RECEIVED', 'hook:RECEIVED@5']],
	// The first delivery's webhook is late, and comes after the bounce.
	[['poll:SENT', 'poll:RECEIVED', 'hook:UNDELIVERED@25', 'hook:RECEIVED@12', 'poll:RECEIVED']],
])('[STAT-05][R] a delivery after a bounce is new: %j', (steps) => {
	expect(live(steps).made.split(' ').sort()).toEqual([
		'received',
		'received',
		'sent',
		'undelivered',
	]);
});

it('[STAT-05] what a poll sees after a webhook of unknown order is told again, rather than lost', () => {
	const before = ['poll:SENT', 'poll:RECEIVED', 'hook:UNDELIVERED'];
	expect(live([...before, 'poll:UNDELIVERED'])).toMatchObject({
		made: 'sent received undelivered',
		status: 'UNDELIVERED',
	});
	expect(live([...before, 'poll:RECEIVED', 'poll:RECEIVED'])).toMatchObject({
		made: 'sent received undelivered received',
		status: 'RECEIVED',
	});
});

it('[STAT-05] a late webhook finds its place among the changes', () => {
	// The bounce that polls missed comes late, and after it a delivery, which polls may have seen.
	const bounced = ['poll:SENT', 'poll:RECEIVED', 'hook:UNDELIVERED@12', 'hook:RECEIVED@15'];
	expect(live(bounced)).toMatchObject({
		made: 'sent received undelivered received',
		status: 'RECEIVED',
	});
	expect(live([...bounced, 'hook:RECEIVED@11']).made).toBe('sent received undelivered received');
	// A delivery from before the bounce may be the one that polls saw.
	const first = ['poll:SENT', 'poll:RECEIVED', 'hook:UNDELIVERED@12', 'hook:RECEIVED@11'];
	expect(live(first)).toMatchObject({ made: 'sent received undelivered', status: 'UNDELIVERED' });
	// A delivery from before the bounce that polls saw, told after the one that followed it.
	const late = ['poll:UNDELIVERED', 'hook:RECEIVED@15', 'hook:RECEIVED@5', 'hook:UNDELIVERED@8'];
	expect(live(late).made).toBe('sent undelivered received received');
});

it.each([
	[['hook:RECEIVED', 'hook:UNDELIVERED', 'hook:SENT'], 'SENT RECEIVED UNDELIVERED'],
	// Once more, and not once more: only what undoes a step makes room for another round.
	[
		['hook:SENT', 'hook:RECEIVED', 'hook:UNDELIVERED', 'hook:OPENED', 'hook:RECEIVED'],
		'SENT RECEIVED UNDELIVERED RECEIVED OPENED',
	],
	[['hook:SENT', 'hook:RECEIVED', 'hook:OPENED', 'hook:RECEIVED'], 'SENT RECEIVED OPENED'],
	[
		['poll:UNDELIVERED', 'hook:RECEIVED@15', 'hook:RECEIVED@5', 'hook:UNDELIVERED@8'],
		'SENT RECEIVED UNDELIVERED RECEIVED',
	],
])('[STAT-05] what comes late goes where times and the table have it: %j', (steps, order) => {
	expect(live(steps).order).toBe(order);
});

it.each([
	[['poll:SENT', 'poll:RECEIVED'], null],
	[['poll:OPENED'], 'final'],
	[['hook:SENT', 'hook:RECEIVED', 'hook:OPENED'], 'final'],
	// A poll is still to tell of the delivery.
	[['hook:SENT', 'hook:OPENED'], null],
	[['hook:SENT', 'hook:OPENED', 'hook:RECEIVED'], 'final'],
	[['poll:OPENED', 'poll:RECEIVED'], 'final'],
])('a watch ends with the last step, once no other is missing: %j', (steps, end) => {
	expect(live(steps).end).toBe(end);
});

it('[STAT-05] without a time a webhook is taken for the later change', () => {
	const steps = ['poll:SENT', 'poll:RECEIVED', 'poll:UNDELIVERED', 'hook:RECEIVED'];
	expect(live(steps).made).toBe('sent received undelivered received');
	expect(live(['poll:SENT', 'hook:SENT', 'poll:RECEIVED', 'hook:RECEIVED']).made).toBe(
		'sent received',
	);
	expect(live(['poll:SENT', 'poll:HELD', 'hook:RECEIVED', 'poll:HELD'])).toMatchObject({
		made: 'sent unknown received',
		status: 'RECEIVED',
	});
});

it('[READ-06] a status of unknown name is one event each time it comes', () => {
	const steps = ['poll:SENT', 'poll:HELD', 'poll:HELD', 'poll:SENT', 'poll:HELD'];
	expect(live(steps).made).toBe('sent unknown unknown');
});

it('does not take an old webhook for the present status', () => {
	const late = [
		'poll:SENT',
		'poll:UNDELIVERED',
		'poll:RECEIVED',
		'poll:RECEIVED',
		'hook:UNDELIVERED@12',
	];
	expect(live([...late, 'poll:RECEIVED'])).toMatchObject({
		made: 'sent undelivered received',
		status: 'RECEIVED',
		asks: false,
	});
});

it.each([
	['AES', ['poll:OPENED'], 'sent received opened'],
	['AES', ['poll:SENT', 'poll:EXPIRED'], 'sent received expired'],
	[
		'AES',
		['poll:RECEIVED', 'poll:UNDELIVERED', 'poll:OPENED'],
		'sent received undelivered received opened',
	],
	['LRE', ['poll:ACCEPTED'], 'letter.sent letter.accepted'],
	[
		'LRE',
		['poll:SENT', 'poll:UNDELIVERED', 'poll:REFUSED'],
		'letter.sent letter.undelivered letter.refused',
	],
	['LRE', ['poll:SCHEDULED', 'poll:SCHEDULED', 'poll:EXPIRED'], 'letter.sent letter.expired'],
	['LRE', ['poll:SCHEDULED', 'poll:CANCELLED'], 'letter.cancelled'],
	['LRE', ['poll:HELD', 'poll:HELD', 'poll:SENT'], 'unknown letter.sent'],
] as const)('%s: what polls see is %j, what must have happened %s', (type, steps, made) => {
	expect(live([...steps], type).made).toBe(made);
});
