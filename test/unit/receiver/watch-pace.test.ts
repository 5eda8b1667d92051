import { nextPoll, nextTry } from '../../../webhook-receiver/src/watch/pace.ts';
import { pauseAfter } from '../../../webhook-receiver/src/watch/pause.ts';
import { understand } from '../../../webhook-receiver/src/watch/service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 5);
const STEPS = [
	{ age: 0, delay: MINUTE },
	{ age: HOUR, delay: 10 * MINUTE },
	{ age: 24 * HOUR, delay: HOUR },
];

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
			return nextPoll(STEPS, { messageId, since: NOW - age, now: NOW }) - NOW;
		});
		expect(Math.min(...waits)).toBeGreaterThanOrEqual(delay * 0.8);
		expect(Math.max(...waits)).toBeLessThanOrEqual(delay * 1.2);
		// Spread over the whole span, not in a few places of it.
		const tenths = new Set(waits.map((wait) => Math.floor((wait / delay - 0.8) / 0.04)));
		expect(tenths.size).toBeGreaterThanOrEqual(10);
	},
);

it('tries again soon after a failure, then less and less often, never more seldom than the pace', () => {
	const old = { messageId: '000000000001', since: NOW - 48 * HOUR, now: NOW };
	const waits = [1, 2, 3, 30].map((failures) => nextTry(STEPS, { ...old, failures }) - NOW);
	expect(waits[0]).toBeLessThanOrEqual(36_000);
	expect([...waits].sort((left, right) => left - right)).toEqual(waits);
	expect(waits[3]).toBeLessThanOrEqual(1.2 * HOUR);
});

it.each([
	[200, { status: 'SENT', evidences: [{ eventType: 'SENT', url: 'https://x' }] }, null, 'status'],
	[200, { status: 'HELD' }, null, 'status'],
	[200, {}, null, 'failed'],
	[404, { code: 'message-not-found' }, null, 'message-not-found'],
	[404, { code: 'no-such-route' }, null, 'failed'],
	[404, {}, null, 'failed'],
	[401, {}, null, 'refused'],
	[403, {}, null, 'refused'],
	[429, {}, null, 'busy'],
	[503, {}, 5_000, 'busy'],
	[503, {}, null, 'failed'],
	[302, {}, null, 'failed'],
] as const)('an answer %i %j (Retry-After %p) is %s', (code, body, retryAfter, kind) => {
	expect(understand(code, JSON.stringify(body), retryAfter).kind).toBe(kind);
});

it('reads no link out of an answer, and takes nonsense for a failure', () => {
	const evidences = [{ eventType: 'SENT', url: 'https://secret' }, null];
	const answer = understand(200, JSON.stringify({ status: 'SENT', evidences }), null);
	expect(answer).toEqual({
		...{ kind: 'status', status: 'SENT', evidences: [{ eventType: 'SENT' }, { eventType: '' }] },
	});
	expect(understand(200, '<html>', null).kind).toBe('failed');
	expect(understand(200, 'null', null).kind).toBe('failed');
});

it('pauses for as long as it is asked to, or says itself', () => {
	const calm = { pauses: 1, breaker: { failures: 1, openUntil: null }, now: NOW };
	const busy = { kind: 'busy', problem: '' } as const;
	expect(pauseAfter({ ...busy, retryAfterMs: 90_000 }, calm)).toBe(90_000);
	expect(pauseAfter({ ...busy, retryAfterMs: 90 * HOUR }, calm)).toBe(HOUR);
	expect(pauseAfter({ ...busy, retryAfterMs: null }, calm)).toBe(10_000);
	expect(pauseAfter({ ...busy, retryAfterMs: null }, { ...calm, pauses: 3 })).toBe(40_000);
	expect(pauseAfter({ kind: 'refused', problem: '' }, calm)).toBe(5 * MINUTE);
	const failed = { kind: 'failed', problem: '' } as const;
	expect(pauseAfter(failed, calm)).toBeNull();
	const open = { failures: 5, openUntil: NOW + 5_000 };
	expect(pauseAfter(failed, { ...calm, breaker: open })).toBe(5_000);
});
