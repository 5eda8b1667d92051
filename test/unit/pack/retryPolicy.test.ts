import { carriedOut, waitBeforeRetry, type FailedTry } from '../../../nodes/shared/retryPolicy.ts';

const now = Date.parse('2026-01-31T09:30:00Z');

function failed(
	status: number | null,
	{ code = null, retryAfter = null, ...more }: Partial<Failed> = {},
): FailedTry {
	const failure = { message: '', description: '', code, status, isLocal: more.isLocal };
	return { failure, retryAfter, isRepeatable: more.isRepeatable ?? true };
}
interface Failed {
	code: string | null;
	retryAfter: string | null;
	isLocal: boolean;
	isRepeatable: boolean;
}

const wait = (attempt: FailedTry, count = 1, since = now, random = 0) =>
	waitBeforeRetry(attempt, { count, since }, now, random);

describe('whether a request may have been carried out', () => {
	it.each<[string, FailedTry, 'no' | 'unknown']>([
		['refused', failed(null, { code: 'ECONNREFUSED' }), 'no'],
		['host not found', failed(null, { code: 'ENOTFOUND' }), 'no'],
		['a credential that cannot work', failed(null, { isLocal: true }), 'no'],
		['connection reset', failed(null, { code: 'ECONNRESET' }), 'unknown'],
		['timeout', failed(null, { code: 'ETIMEDOUT' }), 'unknown'],
		['aborted', failed(null, { code: 'ECONNABORTED' }), 'unknown'],
		['422', failed(422), 'no'],
		['429', failed(429), 'no'],
		['500', failed(500), 'unknown'],
		['502', failed(502), 'unknown'],
		['503', failed(503), 'unknown'],
		['503 with Retry-After', failed(503, { retryAfter: '1' }), 'no'],
		['504', failed(504, { retryAfter: '1' }), 'unknown'],
	])('%s', (_, attempt, carried) => {
		expect(carriedOut(attempt)).toBe(carried);
	});
});

describe('when a request goes out again', () => {
	it('[AUTH-05][N] 429 waits as long as the service says, with some spread', () => {
		expect(wait(failed(429, { retryAfter: '3' }))).toBe(3000);
		expect(wait(failed(429, { retryAfter: '3' }), 1, now, 1)).toBe(3750);
		expect(wait(failed(429, { retryAfter: new Date(now + 5000).toUTCString() }))).toBe(5000);
		expect(wait(failed(429, { retryAfter: 'soon' }))).toBe(500);
	});

	it('[AUTH-05][N] within bounds: not for a wait of hours, nor for ever', () => {
		expect(wait(failed(429, { retryAfter: '7200' }))).toBeNull();
		expect(wait(failed(429, { retryAfter: '1' }), 500, now - 9 * 60_000)).toBe(1000);
		expect(wait(failed(429, { retryAfter: '1' }), 500, now - 10 * 60_000)).toBeNull();
	});

	it('a GET backs off on 5xx and network faults, and gives up', () => {
		expect([1, 2, 3, 4, 5, 6].map((count) => wait(failed(500), count))).toEqual([
			500,
			1000,
			2000,
			4000,
			8000,
			null,
		]);
		const reset = failed(null, { code: 'ECONNRESET' });
		expect([1, 2, 3, 4].map((count) => wait(reset, count))).toEqual([500, 1000, 2000, null]);
	});

	it.each<[string, FailedTry]>([
		['what the request itself has wrong', failed(422)],
		['an unknown host', failed(null, { code: 'ENOTFOUND' })],
		['a certificate that is not trusted', failed(null, { code: 'SELF_SIGNED_CERT_IN_CHAIN' })],
		['a credential that cannot work', failed(null, { isLocal: true })],
	])('never for %s', (_, attempt) => {
		expect(wait(attempt)).toBeNull();
	});

	it.each<[string, FailedTry, boolean]>([
		['refused', failed(null, { code: 'ECONNREFUSED', isRepeatable: false }), true],
		['429', failed(429, { retryAfter: '1', isRepeatable: false }), true],
		['503 with Retry-After', failed(503, { retryAfter: '1', isRepeatable: false }), true],
		['503', failed(503, { isRepeatable: false }), false],
		['500', failed(500, { isRepeatable: false }), false],
		['reset', failed(null, { code: 'ECONNRESET', isRepeatable: false }), false],
	])('a POST only if it surely was not carried out: %s', (_, attempt, again) => {
		expect(wait(attempt) !== null).toBe(again);
	});
});
