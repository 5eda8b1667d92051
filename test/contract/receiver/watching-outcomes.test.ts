// What a status means for each type of letter: the event that it makes, and the outcome for who waits.
// All letters are watched at once, each with a wait of its own.
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import type { AwaitedOutcome } from '../../../webhook-receiver/src/core/wait-contract.ts';
import { ManualClock, cleanUp, idOf, start, waitFor } from './harness.ts';
import { pollService } from './watching/service.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

jest.setTimeout(120_000);
afterEach(cleanUp);

type Type = DeliveryEvent['messageType'];

/** The type that is told, the status, the last event of the letter, and how the wait for it stands. */
type Row = [Type, string, string | null, AwaitedOutcome['outcome'], 'final' | 'open'];

const ROWS: Row[] = [
	['LRE', 'SCHEDULED', null, 'none', 'open'],
	['LRE', 'SENT', 'letter.sent', 'none', 'open'],
	['LRE', 'RECEIVED', 'letter.received', 'none', 'open'],
	['LRE', 'ACCEPTED', 'letter.accepted', 'accepted', 'final'],
	['LRE', 'accepted', 'letter.accepted', 'accepted', 'final'],
	['LRE', 'REFUSED', 'letter.refused', 'refused', 'final'],
	['LRE', 'EXPIRED', 'letter.expired', 'expired', 'final'],
	['LRE', 'UNDELIVERED', 'letter.undelivered', 'undelivered', 'open'],
	['LRE', 'CANCELLED', 'letter.cancelled', 'failed', 'final'],
	['LRE', 'FAILED', 'lre.failed', 'failed', 'final'],
	['LRE', 'HELD_BACK', 'unknown', 'none', 'open'],
	['LS', 'SENT', 'letter.sent', 'none', 'open'],
	['LS', 'RECEIVED', 'letter.received', 'received', 'final'],
	['LS', 'EXPIRED', 'letter.expired', 'expired', 'final'],
	['LS', 'UNDELIVERED', 'letter.undelivered', 'undelivered', 'open'],
	['LS', 'FAILED', 'letter.failed', 'failed', 'final'],
	['AS', 'RECEIVED', 'letter.received', 'received', 'final'],
	['AES', 'SENT', 'tracked_mail.sent', 'none', 'open'],
	['AES', 'RECEIVED', 'tracked_mail.received', 'none', 'open'],
	['MT', 'OPENED', 'tracked_mail.opened', 'opened', 'final'],
	['AES', 'EXPIRED', 'tracked_mail.expired', 'expired', 'final'],
	['AES', 'UNDELIVERED', 'tracked_mail.undelivered', 'undelivered', 'open'],
	['AES', 'CANCELLED', 'tracked_mail.cancelled', 'failed', 'final'],
	['AES', 'FAILED', 'tracked_mail.failed', 'failed', 'final'],
	// Of a status that its type does not have, the name is kept.
	['AES', 'ACCEPTED', 'unknown', 'accepted', 'final'],
	['LRE', 'constructor', 'unknown', 'none', 'open'],
	// Whoever asks need not know the type: mail without any evidence is tracked.
	[null, 'RECEIVED', 'tracked_mail.received', 'none', 'open'],
	[null, 'OPENED', 'tracked_mail.opened', 'opened', 'final'],
	[null, 'ACCEPTED', 'letter.accepted', 'accepted', 'final'],
	[null, 'CANCELLED', 'letter.cancelled', 'failed', 'final'],
];

/** All rows at one receiver, each a letter that is waited for until it is received or opened. */
async function watched(rows: ReadonlyArray<[Type, string, ...unknown[]]>, goal = 'opened') {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	const env = service.env({ WATCH_RATE_LIMIT: '60000', WATCH_DELAYS: '0s:2m' });
	const receiver = await start({ env, dependencies: { clock } });
	for (const [place, [messageType, status]] of rows.entries()) {
		const evidences = messageType === null && status === 'ACCEPTED' ? ['SENT'] : [];
		service.messages.set(idOf(place), { status, evidences });
		const wait = waitFor(clock, [], {
			messages: [{ messageId: idOf(place), messageType }],
			trackedMailGoal: goal,
			deadline: new Date(clock.now() + DAY).toISOString(),
		});
		await receiver.manage('PUT', `/waits/wait-0000-0000-${idOf(place)}`, wait);
	}
	const poll = async () => {
		const seen = () => new Set(service.polls.map(({ messageId }) => messageId));
		while (seen().size < rows.length) {
			clock.advance(MINUTE);
			await receiver.atRest();
		}
	};
	const waitOf = async (place: number) => {
		const { body } = await receiver.manage('GET', `/waits/wait-0000-0000-${idOf(place)}`);
		const [outcome] = body.outcomes as AwaitedOutcome[];
		return { ...outcome, finality: body.state === 'open' ? 'open' : 'final' };
	};
	return { receiver, poll, waitOf };
}

it('[READ-06][STAT-07] each status of each type makes its event, and is an outcome or none', async () => {
	const { receiver, poll, waitOf } = await watched(ROWS);
	await poll();
	const events = await receiver.events();
	for (const [place, row] of ROWS.entries()) {
		const [messageType, status] = row;
		const last = events.find(({ messageId }) => messageId === idOf(place)) ?? null;
		const { outcome, finality } = await waitOf(place);
		expect([messageType, status, last?.type ?? null, outcome, finality]).toEqual(row);
		if (last === null) continue;
		expect({ row, terminal: last.terminal, reversible: last.reversible }).toEqual({
			row,
			terminal: finality === 'final' && last.type !== 'unknown',
			reversible: status === 'UNDELIVERED',
		});
		const isKnown = last.type !== 'unknown';
		// A failed message has no status, with a webhook as with a poll.
		const shown = status === 'FAILED' ? null : isKnown ? status.toUpperCase() : status;
		expect({ row, status: last.status }).toEqual({ row, status: shown });
	}
});

it('received is final for tracked mail where that is the goal, and for no LRE', async () => {
	const types = ['AES', 'MT', 'LRE', null] as const;
	const rows = types.map((type): [Type, string] => [type, 'RECEIVED']);
	const { poll, waitOf } = await watched(rows, 'received');
	await poll();
	const found = await Promise.all(types.map((_, place) => waitOf(place)));
	expect(found.map(({ outcome, finality }) => `${outcome} ${finality}`)).toEqual([
		'received final',
		'received final',
		'none open',
		'none open',
	]);
});

it.each<[string, Type, string, object]>([
	[
		'[STAT-05][R] bounced then received',
		'AES',
		'UNDELIVERED@1 RECEIVED@2',
		{ outcome: 'none', status: 'RECEIVED' },
	],
	[
		'bounced, received, bounced again',
		'AES',
		'UNDELIVERED@1 RECEIVED@2 UNDELIVERED@3',
		{ outcome: 'undelivered' },
	],
	[
		'opened, and a bounce that is told of later',
		'AES',
		'OPENED@2 UNDELIVERED@3 RECEIVED@1',
		{ outcome: 'opened', event: 'tracked_mail.opened', occurredAt: '2026-01-01T00:02:00.000Z' },
	],
	['failed, which has no status', 'LRE', 'FAILED@1', { outcome: 'failed', status: null }],
])('%s', async (_, type, told, expected) => {
	const { receiver, waitOf } = await watched([[type, 'SCHEDULED']]);
	for (const one of told.split(' ')) {
		const [step = '', minute] = one.split('@');
		const timestamp = new Date(Date.UTC(2026, 0, 1) + Number(minute) * MINUTE).toISOString();
		const event = `${type}_${step}`.toLowerCase();
		await receiver.emit({ event, messageId: idOf(0), timestamp });
	}
	await receiver.atRest();
	expect(await waitOf(0)).toMatchObject(expected);
});
