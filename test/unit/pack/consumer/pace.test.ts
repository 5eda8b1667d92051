import { Absence, pauseAfter, TELL_AFTER_MS } from '../../../../nodes/shared/consumer/pace.ts';

it('pauses longer with each failure, up to half a minute', () => {
	expect([1, 2, 3, 4, 5, 6, 60].map((failures) => pauseAfter(failures, 0))).toEqual([
		1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
	]);
	expect(pauseAfter(1, 1)).toBe(500);
	expect(pauseAfter(60, 1)).toBe(15_000);
});

it('tells of an absence of ten minutes once, and of the next one again', () => {
	const absence = new Absence();
	expect(TELL_AFTER_MS).toBe(600_000);
	const told = (...times: number[]) => times.map((now) => absence.failed(now));
	expect(told(5, 600_004, 600_005, 600_006)).toEqual([false, false, true, false]);
	expect(absence.failures).toBe(4);
	absence.ended();
	expect(absence.failures).toBe(0);
	expect(told(700_000, 1_299_999, 1_300_000)).toEqual([false, false, true]);
});
