import { watched } from '../../../webhook-receiver/src/core/records.ts';
import type { LetterRecord, Watching } from '../../../webhook-receiver/src/core/records.ts';
import { afterPoll } from '../../../webhook-receiver/src/watch/after-poll.ts';
import { WELL, afterAnswer } from '../../../webhook-receiver/src/watch/health.ts';
import {
	afterWebhook,
	ANSWERS_LAG_MS,
	isPastLimit,
	nextPoll,
} from '../../../webhook-receiver/src/watch/pace.ts';
import { understand } from '../../../webhook-receiver/src/watch/service.ts';
import type { ServiceAnswer } from '../../../webhook-receiver/src/watch/answers.ts';

const ID = '000000000001';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 5);
const failed = { kind: 'failed', problem: '' } as const;
const told: ServiceAnswer = { kind: 'status', status: 'SENT', evidences: [] };
const STEPS = [
	{ age: 0, delay: MINUTE },
	{ age: HOUR, delay: 10 * MINUTE },
	{ age: 24 * HOUR, delay: HOUR },
];
const pace = { delays: STEPS, limitMs: 90 * 24 * HOUR };

/** The record of a letter that is watched since then. */
function watching(since: number, more: Partial<Watching> = {}): LetterRecord {
	const record = watched(null, {}, since);
	return { ...record, watch: { ...(record.watch as Watching), ...more } };
}

/** What a poll changes that nothing has overtaken. */
const polledOnce = (record: LetterRecord, answer: ServiceAnswer, now: number) =>
	afterPoll(record, { messageId: ID, asked: record }, answer, now, pace, () => 'evt');

it.each([
	[0, MINUTE],
	[59 * MINUTE, MINUTE],
	[HOUR, 10 * MINUTE],
	[90 * 24 * HOUR, HOUR],
])(
	'a letter whose last change is %i ms ago is polled every %i ms, give or take a fifth',
	(age, delay) => {
		const waits = Array.from({ length: 500 }, (_, n) => {
			const messageId = String(n).padStart(12, '0');
			return nextPoll(messageId, watching(NOW - age), NOW, pace) - NOW;
		});
		expect(Math.min(...waits)).toBeGreaterThanOrEqual(delay * 0.8);
		expect(Math.max(...waits)).toBeLessThanOrEqual(delay * 1.2);
		// Spread over the whole span, not in a few places of it.
		const tenths = new Set(waits.map((wait) => Math.floor((wait / delay - 0.8) / 0.04)));
		expect(tenths.size).toBeGreaterThanOrEqual(10);
	},
);

it('tries again soon after a failure, then less and less often, whatever the pace', () => {
	const waits = [1, 2, 3, 30].map((failures) => {
		return nextPoll(ID, watching(NOW - 30 * 24 * HOUR, { failures }), NOW, pace) - NOW;
	});
	expect(waits[0]).toBeLessThanOrEqual(36_000);
	expect([...waits].sort((left, right) => left - right)).toEqual(waits);
	expect(waits[3]).toBeGreaterThanOrEqual(0.8 * HOUR);
	expect(waits[3]).toBeLessThanOrEqual(1.2 * HOUR);
});

it('polls a message that can never be read once an hour, however young it is', () => {
	let failures = 0;
	let at = NOW;
	let before = NOW;
	for (let poll = 0; poll < 10; poll++) {
		const next = polledOnce(watching(at, { failures }), failed, at);
		failures = next.record.watch?.failures ?? 0;
		before = at;
		at = next.nextPollAt ?? 0;
	}
	expect(at - before).toBeGreaterThanOrEqual(0.8 * HOUR);
});

describe('a message that the service says it does not know', () => {
	const notFound = { kind: 'message-not-found' } as const;

	/** Polls when they are due; `answers` at those places are others. */
	function polled(others: Record<number, ServiceAnswer> = {}) {
		let record = watching(NOW);
		let at: number | null = NOW;
		const times: number[] = [];
		for (let poll = 0; at !== null && poll < 30; poll++) {
			times.push(at);
			({ record, nextPollAt: at } = polledOnce(record, others[poll] ?? notFound, at));
		}
		return { watch: record.watch as Watching, times };
	}

	it('[READ-03] is looked for less and less often, over hours, and then no more', () => {
		const { watch, times } = polled();
		expect(watch).toMatchObject({ endReason: 'message-not-found', notFound: { since: NOW } });
		expect(watch.problem).toContain(`${times.length} answers since 2026-01-05T00:00:00.000Z`);
		expect(times.length).toBeGreaterThanOrEqual(5);
		expect((times.at(-1) ?? 0) - NOW).toBeGreaterThanOrEqual(6 * HOUR);
		expect((times.at(-1) ?? 0) - NOW).toBeLessThan(10 * HOUR);
		expect((times[1] ?? 0) - NOW).toBeGreaterThanOrEqual(8 * MINUTE);
	});

	it('starts over once its status was told', () => {
		const { watch, times } = polled({ 4: told });
		expect((watch.notFound?.since ?? 0) - (times[4] ?? 0)).toBeGreaterThan(0);
		expect((times.at(-1) ?? 0) - (times[5] ?? 0)).toBeGreaterThanOrEqual(6 * HOUR);
	});

	it('is not known any better by what fails in between', () => {
		const failed = { kind: 'failed', problem: 'ECONNRESET' } as const;
		const { watch } = polled({ 2: failed, 3: failed });
		expect(watch).toMatchObject({ endReason: 'message-not-found', notFound: { since: NOW } });
	});

	it.each([
		[4, 100 * HOUR, false],
		[5, 6 * HOUR - 1, false],
		[5, 6 * HOUR, true],
		// The clock was set back.
		[50, -HOUR, false],
	])('%i times in %i ms: gone %p', (times, ms, gone) => {
		const record = watching(NOW, { notFound: { since: NOW, times: times - 1 } });
		const { watch } = polledOnce(record, notFound, NOW + ms).record;
		expect(watch?.endReason === 'message-not-found').toBe(gone);
	});
});

it.each([
	[200, { id: ID, status: 'SENT', evidences: [{ eventType: 'SENT', url: 'https://x' }] }, 'status'],
	[200, { id: ID, status: 'HELD' }, 'status'],
	[200, { id: 1, status: 'HELD' }, 'status'],
	[200, { id: '1', status: 'HELD' }, 'status'],
	[200, { id: '000000000002', status: 'SENT' }, 'failed'],
	[200, { id: 2, status: 'SENT' }, 'failed'],
	[200, { id: ID }, 'failed'],
	[200, { id: ID, status: ' ' }, 'failed'],
	[200, { id: ID, status: 7 }, 'failed'],
	[200, { id: ID, status: { name: 'SENT' } }, 'failed'],
	[200, { id: ID, status: 'x'.repeat(101) }, 'failed'],
	[200, { status: 'UP' }, 'failed'],
	[200, { id: null, status: 'UP' }, 'failed'],
	[200, [{ id: ID, status: 'SENT' }], 'failed'],
	[200, null, 'failed'],
	[200, '<html>', 'failed'],
	[201, { id: ID, status: 'SENT' }, 'failed'],
	[404, { code: 'message-not-found' }, 'message-not-found'],
	[404, { code: 'no-such-route' }, 'failed'],
	[404, {}, 'failed'],
	[404, '<html>Not Found</html>', 'failed'],
	[401, {}, 'refused'],
	[403, {}, 'refused'],
	[429, {}, 'busy'],
	[503, {}, 'failed'],
	[302, {}, 'failed'],
] as const)('[READ-02] an answer %i %j is %s', (statusCode, body, kind) => {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const answer = understand(ID, { statusCode, text, retryAfterMs: null });
	expect(answer.kind).toBe(kind);
	if (answer.kind === 'failed') expect(answer.problem).toMatch(/^the service answered /);
});

it('a service that says how long to wait is busy', () => {
	expect(understand(ID, { statusCode: 503, text: '', retryAfterMs: 5_000 })).toMatchObject({
		kind: 'busy',
		retryAfterMs: 5_000,
	});
});

it('says for which other message an answer is, and reads no link out of one', () => {
	const read = (body: object) =>
		understand(ID, { statusCode: 200, text: JSON.stringify(body), retryAfterMs: null });
	expect(read({ id: 2, status: 'SENT' })).toEqual({
		kind: 'failed',
		problem: 'the service answered for another message, 2',
	});
	const evidences = [{ eventType: 'SENT', url: 'https://secret' }, null];
	expect(read({ id: ID, status: 'SENT', evidences })).toEqual({
		kind: 'status',
		status: 'SENT',
		evidences: [{ eventType: 'SENT' }, { eventType: '' }],
	});
});

const healthAfter = (answers: Array<[string, ServiceAnswer]>) =>
	answers.reduce((health, [id, answer]) => afterAnswer(health, id, answer, NOW), WELL);
const isHeld = (answers: Array<[string, ServiceAnswer]>) => healthAfter(answers).pausedUntil > NOW;
const failing = (...ids: string[]) => ids.map((id): [string, ServiceAnswer] => [id, failed]);

it('is held up by several messages in a row that tell nothing, not by a few however often', () => {
	expect(isHeld(failing('1', '2', '3', '4', '5'))).toBe(true);
	expect(isHeld(failing('1', '2', '3', '4'))).toBe(false);
	expect(isHeld(failing(...Array.from({ length: 100 }, (_, n) => String(n % 4))))).toBe(false);
	const between: Array<[string, ServiceAnswer]> = [['9', told]];
	expect(isHeld([...failing('1', '2', '3'), ...between, ...failing('4', '5')])).toBe(false);
	const unknown: Array<[string, ServiceAnswer]> = [['9', { kind: 'message-not-found' }]];
	expect(isHeld([...failing('1', '2', '3'), ...unknown, ...failing('4', '5')])).toBe(false);
});

it('is held up longer by a trial that fails, whichever message it is of', () => {
	const held = healthAfter(failing('1', '2', '3', '4', '5'));
	expect(held.pausedUntil - NOW).toBe(5_000);
	// What was under way when it went down says nothing new.
	expect(afterAnswer(held, '6', failed, NOW + 4_999)).toBe(held);
	let health = held;
	const pauses = Array.from({ length: 6 }, () => {
		const now = health.pausedUntil;
		health = afterAnswer(health, '1', failed, now);
		return health.pausedUntil - now;
	});
	expect(pauses).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
	expect(afterAnswer(health, '1', told, NOW)).toEqual(WELL);
});

it('pauses for as long as it is asked to, or says itself', () => {
	const busy = { kind: 'busy', problem: '' } as const;
	const pause = (answer: ServiceAnswer, before = WELL) =>
		afterAnswer(before, '1', answer, NOW).pausedUntil - NOW;
	expect(pause({ ...busy, retryAfterMs: 90_000 })).toBe(90_000);
	expect(pause({ ...busy, retryAfterMs: 90 * HOUR })).toBe(HOUR);
	expect(pause({ ...busy, retryAfterMs: 0 })).toBe(1_000);
	expect(pause({ ...busy, retryAfterMs: null })).toBe(10_000);
	const twice = { ...WELL, pauses: 2 };
	expect(pause({ ...busy, retryAfterMs: null }, twice)).toBe(40_000);
	expect(pause({ kind: 'refused', problem: '' })).toBe(5 * MINUTE);
});

it('makes one pause of what comes back from polls that were under way together', () => {
	const busy: ServiceAnswer = { kind: 'busy', problem: '', retryAfterMs: null };
	const health = healthAfter(['1', '2', '3'].map((id) => [id, busy]));
	expect(health).toMatchObject({ pauses: 1, pausedUntil: NOW + 10_000 });
});

it.each(['refused', 'busy'] as const)(
	'the answer %s says nothing about the letter, which stays due',
	(kind) => {
		const record = watching(NOW);
		const answer = { kind, problem: 'it answered 401', retryAfterMs: null } as ServiceAnswer;
		expect(polledOnce(record, answer, NOW)).toEqual({
			record: watching(NOW, { problem: 'it answered 401' }),
			nextPollAt: NOW,
			events: [],
		});
	},
);

it('a watch that ended while its poll was under way stays ended, and no answer at all is a poll to come', () => {
	for (const over of [watching(NOW, { endReason: 'removed' }), { ...watching(NOW), watch: null }]) {
		expect(polledOnce(over, told, NOW)).toEqual({ record: over, nextPollAt: null, events: [] });
	}
	const record = watching(NOW);
	const poll = { messageId: ID, asked: record };
	const next = afterPoll(record, poll, null, NOW, pace, () => 'evt');
	expect(next).toEqual({ record, nextPollAt: NOW, events: [] });
});

it('a watch past its limit ends with the answer to a poll', () => {
	const { record, nextPollAt } = polledOnce(watching(NOW - pace.limitMs), failed, NOW);
	expect(record.watch).toMatchObject({ endReason: 'limit', failures: 1 });
	expect(nextPollAt).toBeNull();
});

describe('after a webhook', () => {
	const change = (step: string) => ({
		type: null,
		step,
		at: NOW,
		by: 'poll' as const,
		mark: null,
		eventId: null,
	});

	it('asks as soon as an answer can be of now, where a step is missing', () => {
		const record = { ...watching(NOW), changes: [change('SENT'), change('OPENED')] };
		expect(afterWebhook(record, NOW + HOUR, NOW)).toBe(NOW + ANSWERS_LAG_MS);
	});

	it('asks when it would have otherwise, but never before an answer can be of now', () => {
		const record = { ...watching(NOW), changes: [change('SENT')] };
		expect(afterWebhook(record, NOW + HOUR, NOW)).toBe(NOW + HOUR);
		expect(afterWebhook(record, NOW, NOW)).toBe(NOW + ANSWERS_LAG_MS);
	});

	it('[STAT-05] takes no answer that was asked for before for news of now, and asks again', () => {
		const asked = watching(NOW - HOUR);
		const record = { ...asked, changes: [change('SENT'), change('RECEIVED')] };
		const poll = { messageId: ID, asked };
		const bounced = { ...told, status: 'UNDELIVERED' };
		for (const answer of [told, bounced, failed, { kind: 'message-not-found' } as const]) {
			const next = afterPoll(record, poll, answer, NOW, pace, () => 'evt');
			expect(next).toEqual({ record, events: [], nextPollAt: NOW + ANSWERS_LAG_MS });
		}
	});
});

it('a watch is past its limit from then on, counted from the last change', () => {
	const { limitMs } = pace;
	expect(isPastLimit(watching(NOW - limitMs + 1), NOW, pace)).toBe(false);
	const old = watching(NOW - limitMs);
	expect(isPastLimit(old, NOW, pace)).toBe(true);
	const poll = { messageId: ID, asked: old };
	expect(afterPoll(old, poll, failed, NOW, pace, () => 'evt')).toMatchObject({
		record: { watch: { endReason: 'limit' } },
		nextPollAt: null,
	});
	const at = NOW - limitMs + 1;
	const seen = { step: 'SENT', at, by: 'poll' as const };
	const change = { ...seen, type: null, mark: null, eventId: null };
	expect(isPastLimit({ ...old, changes: [change] }, NOW, pace)).toBe(false);
});
