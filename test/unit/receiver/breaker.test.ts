import { CLOSED, afterRequest } from '../../../webhook-receiver/src/watch/breaker.ts';

const failing = (times: number, now = 0) => {
	let breaker = CLOSED;
	for (let n = 0; n < times; n++) {
		breaker = afterRequest(breaker, false, breaker.openUntil ?? now);
	}
	return breaker;
};

it('opens after five failures in a row, not before', () => {
	expect(failing(4).openUntil).toBeNull();
	expect(failing(5).openUntil).toBe(5_000);
	const interrupted = afterRequest(failing(4), true, 0);
	expect(afterRequest(interrupted, false, 0)).toEqual({ failures: 1, openUntil: null });
});

it('a trial that goes well closes it', () => {
	expect(afterRequest(failing(5), true, 5_000)).toBe(CLOSED);
});

it('doubles its pause with each failed trial, up to a minute', () => {
	const pauses = [5, 6, 7, 8, 9, 10, 40].map((times) => {
		const before = failing(times - 1);
		return (failing(times).openUntil ?? 0) - (before.openUntil ?? 0);
	});
	expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
});

it('what was under way when it opened changes nothing', () => {
	const open = failing(5);
	expect(afterRequest(open, false, 100)).toBe(open);
});
