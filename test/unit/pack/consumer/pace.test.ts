import { pauseAfter } from '../../../../nodes/shared/consumer/outage.ts';

it('pauses longer with each failure, up to half a minute', () => {
	expect([1, 2, 3, 4, 5, 6, 60].map((failures) => pauseAfter(failures, 0))).toEqual([
		1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
	]);
	expect(pauseAfter(1, 1)).toBe(500);
	expect(pauseAfter(60, 1)).toBe(15_000);
});
