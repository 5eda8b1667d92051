// The fold over what the receiver learns of a letter, by its properties; single cases are in
// fold.test.ts, whole lives in contract/receiver/watching-sandbox.test.ts.
import fc from 'fast-check';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { kindOfStatus, stepOf } from '../../../webhook-receiver/src/core/event-kinds.ts';
import { outcomeOf } from '../../../webhook-receiver/src/core/outcome.ts';
import { observe, reduced, statusOf, watched } from '../../../webhook-receiver/src/core/records.ts';
import type { LetterRecord, Observation } from '../../../webhook-receiver/src/core/records.ts';
import { tenfoldAtNight } from '../../support/ring.ts';

type NewEvent = Omit<DeliveryEvent, 'sequence'>;

const ID = '000000000001';
const START = Date.UTC(2026, 0, 5, 9);
const MINUTE = 60_000;
const RUNS = tenfoldAtNight(500);

interface Happened {
	step: string;
	/** By the service's clock, in minutes. */
	minute: number;
}

/** What may become of tracked mail, with as many rounds of bounces and deliveries as there are. */
const lives = fc
	.record({
		rounds: fc.array(fc.constantFrom('RECEIVED', 'UNDELIVERED'), { maxLength: 6 }),
		end: fc.constantFrom(null, 'OPENED'),
		/** How far the service's clock is from ours. */
		differ: fc.integer({ min: -600, max: 600 }),
		gaps: fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 10, maxLength: 10 }),
	})
	.map(({ rounds, end, differ, gaps }): Happened[] => {
		const steps = ['SENT', ...rounds.filter((step, place) => step !== rounds[place - 1])];
		if (end !== null) steps.push(...(steps.at(-1) === 'RECEIVED' ? [end] : ['RECEIVED', end]));
		let minute = differ;
		return steps.map((step, place) => ({ step, minute: (minute += gaps[place] ?? 1) }));
	});

function webhook({ step, minute }: Happened, id: string | null = null): Observation {
	const occurredAt = new Date(START + minute * MINUTE + 1_000).toISOString();
	const event = {
		...kindOfStatus(step, 'AES'),
		sourceType: `aes_${step.toLowerCase()}`,
		messageId: ID,
		messageType: 'AES',
		fileReference: null,
		customerReference: null,
		occurredAt,
		receivedAt: occurredAt,
		raw: null,
	} as NewEvent;
	const mark = { mark: id === null ? occurredAt : `${occurredAt}#${id}`, byContent: false };
	return { kind: 'webhook', event, mark };
}

const poll = (status: string): Observation => ({
	kind: 'status',
	messageId: ID,
	status,
	evidences: [],
});

let made = 0;
const after = (record: LetterRecord | null, observation: Observation, now: number) =>
	observe(record, observation, now, () => `evt-${++made}`);

const watchedLetter = () => watched(null, { messageType: 'AES' }, START);

/** What comes one after the other, a minute apart. */
function learned(observations: readonly Observation[], from = watchedLetter()) {
	let record = from;
	const events: NewEvent[] = [];
	for (const [place, observation] of observations.entries()) {
		const next = after(record, observation, START + place * MINUTE);
		({ record } = next);
		events.push(...next.events);
	}
	return { record, events, steps: events.map((event) => stepOf(event) ?? '') };
}

/** Without when the receiver learned of it. */
const known = ({ changes }: LetterRecord) => changes.map(({ step, mark }) => ({ step, mark }));
/** What who waits is told, without which event told it. */
const told = ({ changes }: Pick<LetterRecord, 'changes'>) => {
	const expected = { messageType: 'AES', trackedMailGoal: 'opened' } as const;
	const { outcome, isFinal } = outcomeOf(changes, expected);
	return { ...outcome, isFinal, eventId: null };
};

it('[EVNT-05][R] the same webhooks in any order give the same record and the same events', () => {
	const shuffled = lives.chain((life) =>
		fc.shuffledSubarray(life, { minLength: life.length }).map((order) => ({ life, order })),
	);
	fc.assert(
		fc.property(shuffled, ({ life, order }) => {
			const inTime = learned(life.map((one) => webhook(one)));
			const other = learned(order.map((one) => webhook(one)));
			expect(known(other.record)).toEqual(known(inTime.record));
			expect(told(other.record)).toEqual(told(inTime.record));
			expect(other.record.watch?.endReason).toBe(inTime.record.watch?.endReason);
			expect(other.steps.toSorted()).toEqual(inTime.steps.toSorted());
		}),
		{ numRuns: RUNS },
	);
});

it('[EVNT-05][R] an observation that comes twice changes nothing, however late', () => {
	const parts = fc.record({
		life: lives,
		seen: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
		again: fc.nat(20),
	});
	fc.assert(
		fc.property(parts, ({ life, seen, again }) => {
			const webhooks = life.map((one) => webhook(one));
			const both = life.flatMap(({ step }, place) => [
				...(seen[place] ? [poll(step)] : []),
				webhooks[place] as Observation,
			]);
			const { record } = learned(both);
			const repeated = webhooks[again % webhooks.length] as Observation;
			expect(after(record, repeated, START + 9_999 * MINUTE)).toEqual({ record, events: [] });
			const seenAgain = poll(statusOf(record) ?? '');
			expect(after(record, seenAgain, START + 9_999 * MINUTE).events).toEqual([]);
			// Also once everything else of the letter is gone.
			const late = after(reduced(record), repeated, START + 9_999 * MINUTE);
			expect(late.events).toEqual([]);
		}),
		{ numRuns: RUNS },
	);
});

it('[EVNT-05][R] a letter that nobody watches knows its status', () => {
	const { record } = after(null, webhook({ step: 'RECEIVED', minute: 5 }), START);
	expect(statusOf(record)).toBe('RECEIVED');
	expect(record).toMatchObject({ messageType: 'AES', watch: null });
	const sent = after(record, webhook({ step: 'SENT', minute: 1 }), START);
	expect(statusOf(sent.record)).toBe('RECEIVED');
	expect(sent.record.changes.map(({ step }) => step)).toEqual(['SENT', 'RECEIVED']);
});

it('[EVNT-05][R] an id tells two webhooks of one time apart, and none is the same as any', () => {
	const sent = { step: 'SENT', minute: 1 };
	const made = (...ids: Array<string | null>) => learned(ids.map((id) => webhook(sent, id))).steps;
	expect(made('a', 'b')).toHaveLength(2);
	expect(made('a', 'b', 'a', null)).toHaveLength(2);
	expect(made(null, 'a', 'b')).toHaveLength(1);
});

it('[EVNT-05][R] what is no step of a letter is recognised by its mark, by its content for a while', () => {
	const other = (mark: string, byContent: boolean): Observation => ({
		...(webhook({ step: 'SENT', minute: 1 }) as Extract<Observation, { kind: 'webhook' }>),
		event: { type: 'unknown', status: null, terminal: false } as NewEvent,
		mark: { mark, byContent },
	});
	const record = after(null, other('content', true), START).record;
	const isNew = (one: Observation, at: number, known = record) =>
		after(known, one, at).events.length === 1;
	expect(isNew(other('content', true), START + 10 * MINUTE - 1)).toBe(false);
	expect(isNew(other('content', true), START + 10 * MINUTE)).toBe(true);
	// The clock was set back.
	expect(isNew(other('content', true), START - 1)).toBe(true);
	expect(isNew(other('else', true), START)).toBe(true);
	const timed = after(null, other('time', false), START).record;
	const late = START + 9_999_999 * MINUTE;
	expect(isNew(other('time', false), late, timed)).toBe(false);
	expect(isNew(other('time', false), late, reduced(timed))).toBe(false);
});

it('a day alone orders nothing within it: a delivery of the same day after a bounce is another', () => {
	const delivered = webhook({ step: 'RECEIVED', minute: -540 - 1 / 60 });
	const { steps } = learned([delivered, poll('UNDELIVERED'), delivered]);
	expect(steps).toEqual(['RECEIVED', 'SENT', 'UNDELIVERED', 'RECEIVED']);
});

it('an event says all that is known of its letter, and a webhook adds what was not', () => {
	const told = { fileReference: 'F', customerReference: 'C' };
	const sent = webhook({ step: 'SENT', minute: 1 }) as Extract<Observation, { kind: 'webhook' }>;
	const { record } = after(null, { ...sent, event: { ...sent.event, ...told } }, START);
	expect(record).toMatchObject({ ...told, messageType: 'AES' });
	const seen = learned([poll('RECEIVED')], record);
	expect(seen.events).toMatchObject([
		{
			...told,
			messageId: ID,
			messageType: 'AES',
			id: expect.any(String),
			raw: { id: ID, status: 'RECEIVED', evidences: [] },
		},
	]);
	expect(seen.record.changes.map(({ by }) => by)).toEqual(['webhook', 'poll']);
});

it.each<[string, string[], string[]]>([
	['SENT', [], ['tracked_mail.sent']],
	['UNDELIVERED', [], ['tracked_mail.sent', 'tracked_mail.undelivered']],
	['SENT', ['SENT'], ['letter.sent']],
	['CANCELLED', [], ['letter.cancelled']],
])('[AES-04] a letter of unknown kind that is %s with evidence %j: %j', (status, types, made) => {
	const evidences = types.map((eventType) => ({ eventType }));
	const seen = { ...(poll(status) as Extract<Observation, { kind: 'status' }>), evidences };
	expect(learned([seen], watched(null, {}, START)).events.map(({ type }) => type)).toEqual(made);
});

it('[AES-04] what polls took for tracked mail stays that', () => {
	const { events } = learned([poll('SENT'), poll('FAILED')], watched(null, {}, START));
	expect(events.map(({ type }) => type)).toEqual(['tracked_mail.sent', 'tracked_mail.failed']);
});
