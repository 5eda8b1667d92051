import {
	carriedOut,
	waitBeforeRetry,
	type FailedTry,
} from '../../../nodes/shared/transport/retryPolicy.ts';

const now = Date.parse('2026-01-31T09:30:00Z');

function failed(
	status: number | null,
	{ code = null, retryAfter = null, ...more }: Partial<Failed> = {},
): FailedTry {
	const { isRepeatable = true, hasLeft, isLocal, isOwn } = more;
	const error = { message: '', description: '', code, status, isLocal, isOwn, retryAfter };
	return { error, isRepeatable, hasLeft };
}
interface Failed {
	code: string | null;
	retryAfter: string | null;
	isLocal: boolean;
	isOwn: boolean;
	isRepeatable: boolean;
	hasLeft: boolean;
}

const wait = (attempt: FailedTry, count = 1, since = now, random = 0) =>
	waitBeforeRetry(attempt, { count, since }, now, random);

describe('whether a request may have been carried out', () => {
	it.each<[string, FailedTry, 'no' | 'unknown']>([
		['no answer to what has not left', failed(null, { hasLeft: false }), 'no'],
		['no answer to what has', failed(null, { hasLeft: true }), 'unknown'],
		['a code that sounds like it', failed(null, { code: 'ECONNREFUSED' }), 'unknown'],
		['303', failed(303), 'unknown'],
		['a body too large, while it was under way', failed(413, { hasLeft: false }), 'no'],
		['a body too large, after all of it', failed(413), 'unknown'],
		['422 with a code of the network', failed(422, { code: 'ECONNRESET' }), 'unknown'],
		['503 with Retry-After', failed(503, { retryAfter: '1' }), 'unknown'],
		['503 while the body was under way', failed(503, { hasLeft: false }), 'unknown'],
	])('%s', (_, attempt, carried) => {
		expect(carriedOut(attempt)).toBe(carried);
	});

	it('only statuses that come before a request is taken are a no, whoever says them', () => {
		const statuses = Array.from({ length: 300 }, (_, at) => 300 + at);
		expect(statuses.filter((status) => carriedOut(failed(status)) === 'no')).toEqual([
			400, 401, 403, 404, 405, 407, 429, 431,
		]);
	});

	it('the interface’s own answer is a no with any 4xx, except what only a proxy says', () => {
		const statuses = Array.from({ length: 300 }, (_, at) => 300 + at);
		const own = statuses.filter((status) => carriedOut(failed(status, { isOwn: true })) === 'no');
		const refusals = statuses.filter((status) => status >= 400 && status < 500);
		expect(own).toEqual(refusals.filter((status) => status !== 408 && status !== 499));
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

	it('[AUTH-05][N] two minutes are the longest wait, the spread included', () => {
		expect(wait(failed(429, { retryAfter: '120' }))).toBe(120_000);
		expect(wait(failed(429, { retryAfter: '121' }))).toBeNull();
		expect(wait(failed(429, { retryAfter: '96' }), 1, now, 1)).toBe(120_000);
		expect(wait(failed(429, { retryAfter: '97' }), 1, now, 1)).toBeNull();
	});

	it('[AUTH-05][N] ten minutes in all, the wait to come and its spread included', () => {
		const attempt = failed(429, { retryAfter: '10' });
		const since = now - 10 * 60_000 + 10_000;
		expect(wait(attempt, 9, since)).toBe(10_000);
		expect(wait(attempt, 9, since - 1)).toBeNull();
		expect(wait(attempt, 9, since, 0.1)).toBeNull();
	});

	it.each(['0', '0.1', new Date(now).toUTCString(), new Date(now - 5000).toUTCString()])(
		'[AUTH-05][N] Retry-After %j never means at once, which would be without end',
		(retryAfter) => {
			expect(wait(failed(503, { retryAfter }), 50)).toBe(500);
		},
	);

	// Which values say nothing: unit/receiver/retry-after.test.ts.
	it.each(['', 'soon'])(
		'[AUTH-05][N] Retry-After %j says nothing, so its own pauses count',
		(retryAfter) => {
			expect(wait(failed(429, { retryAfter }), 3)).toBe(2000);
			expect(wait(failed(429, { retryAfter }), 6)).toBeNull();
		},
	);

	it('[AUTH-05][N] a POST goes by Retry-After however often it has gone out, a 500 does not', () => {
		const limited = failed(429, { retryAfter: '1', isRepeatable: false });
		expect(wait(limited, 50)).toBe(1000);
		expect(wait(failed(429, { isRepeatable: false }), 6)).toBeNull();
		expect(wait(failed(500, { retryAfter: '1', isRepeatable: false }))).toBeNull();
	});

	it('its own pauses are spread as well', () => {
		expect(wait(failed(500), 1, now, 1)).toBe(625);
		expect(wait(failed(500), 3, now, 0.5)).toBe(2250);
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

	it('a network that fails is given up after a minute, however few the tries', () => {
		const silent = failed(null, { code: 'ETIMEDOUT' });
		expect(wait(silent, 1, now - 60_000)).toBe(500);
		expect(wait(silent, 1, now - 60_001)).toBeNull();
	});

	it.each([429, 500, 502, 503, 504, 599])('a GET goes out again after %d', (status) => {
		expect(wait(failed(status))).toBe(500);
	});

	it.each(['ECONNRESET', 'ETIMEDOUT', 'ECONNREFUSED', 'EAI_AGAIN', 'EPIPE'])(
		'a GET goes out again after %s',
		(code) => {
			expect(wait(failed(null, { code }))).toBe(500);
		},
	);

	it.each<[string, FailedTry]>([
		['what the request itself has wrong', failed(422)],
		['what just fails to be a fault of the service', failed(499)],
		['a code beside a status', failed(400, { code: 'ECONNRESET' })],
		['a fault without a code', failed(null)],
		['half a chain', failed(null, { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })],
		['another server', failed(null, { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })],
		['a TLS fault', failed(null, { code: 'ERR_TLS_HANDSHAKE_TIMEOUT' })],
		['a protocol that is not HTTPS', failed(null, { code: 'EPROTO' })],
		['an alert about our certificate', failed(null, { code: 'TLSV1_ALERT_UNKNOWN_CA' })],
		['a local fault with a status', failed(503, { isLocal: true })],
		['an unknown host', failed(null, { code: 'ENOTFOUND' })],
		['a certificate that is not trusted', failed(null, { code: 'SELF_SIGNED_CERT_IN_CHAIN' })],
		['a credential that cannot work', failed(null, { isLocal: true })],
		['an execution that was stopped', failed(null, { code: 'ERR_CANCELED' })],
	])('never for %s', (_, attempt) => {
		expect(wait(attempt)).toBeNull();
	});

	it.each<[string, FailedTry, boolean]>([
		['refused', failed(null, { code: 'ECONNREFUSED', isRepeatable: false, hasLeft: false }), true],
		['429', failed(429, { retryAfter: '1', isRepeatable: false }), true],
		['503 with Retry-After', failed(503, { retryAfter: '1', isRepeatable: false }), false],
		['an own 503', failed(503, { isOwn: true, retryAfter: '1', isRepeatable: false }), false],
		['an own 409', failed(409, { isOwn: true, isRepeatable: false }), false],
		['500', failed(500, { isRepeatable: false }), false],
		['reset', failed(null, { code: 'ECONNRESET', isRepeatable: false }), false],
	])('a POST only on 429, or if it surely did not leave: %s', (_, attempt, again) => {
		expect(wait(attempt) !== null).toBe(again);
	});
});
