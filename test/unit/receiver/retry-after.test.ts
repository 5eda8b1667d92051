import { readRetryAfter } from '../../../webhook-receiver/src/core/retry-after.ts';

it.each([
	['120', 120_000],
	['0', 0],
	[' 120 ', 120_000],
	['999999999', 999_999_999_000],
	['7200.5', 7_200_500],
	['1.55', 1_550],
	['Sat, 31 Jan 2026 09:31:00 GMT', 60_000],
	['Sat, 31 Jan 2026 09:00:00 GMT', -1_800_000],
	['2026-01-31T09:30:05.000Z', 5_000],
	...['', ' ', 'soon', 'x120', '120x', '3s', '-3', '+3', '1.', '.5', '1,5', '1 2', '1e1'].map(
		(silent): [string, null] => [silent, null],
	),
	['2026-02-01', null],
	[undefined, null],
])('reads %p as %p ms', (header, milliseconds) => {
	expect(readRetryAfter(header, Date.UTC(2026, 0, 31, 9, 30))).toBe(milliseconds);
});
