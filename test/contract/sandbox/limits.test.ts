import type { Input } from '../../../sandbox/src/client/client.ts';
import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { call, letter, send } from './client.ts';

const sandbox = useSandbox({ automatic: false });

const LRE = letter({ type: 'LRE' });
const limit = (requests: number, seconds: number) =>
	sandbox.control('PUT /rate-limit', { requests, seconds });
const statuses = async (count: number, as = 'direct') => {
	const seen = [];
	for (let asked = 0; asked < count; asked++)
		seen.push((await call(sandbox, '/consents', { as })).status);
	return seen;
};

describe('[AUTH-05][S] the rate limit', () => {
	it('answers 429 with Retry-After in seconds, and lets through again after it', async () => {
		await limit(2, 30);
		expect(await statuses(3)).toEqual([200, 200, 429]);
		const { headers, json } = await call(sandbox, '/consents');
		expect(json).toEqual({ code: 'too-many-requests', message: expect.any(String) });
		const wait = Number(headers['retry-after']);
		expect(wait).toBeGreaterThan(0);
		expect(wait).toBeLessThanOrEqual(30);
		await sandbox.control.advance(wait * 1000);
		expect(await statuses(1)).toEqual([200]);
	});

	it('is not used up for years when the clock is set back', async () => {
		await limit(1, 30);
		expect(await statuses(2)).toEqual([200, 429]);
		const body = { now: '2020-01-01T00:00:00Z', frozen: true };
		await sandbox.control('PUT /clock', body);
		expect(await statuses(2)).toEqual([200, 429]);
		expect(Number((await call(sandbox, '/consents')).headers['retry-after'])).toBe(30);
	});

	it('counts each account by itself, and is off until asked for', async () => {
		expect(await statuses(5)).toEqual(Array(5).fill(200));
		await limit(1, 30);
		expect(await statuses(2)).toEqual([200, 429]);
		expect(await statuses(1, 'reseller')).toEqual([200]);
		await sandbox.control('DELETE /rate-limit');
		expect(await statuses(2)).toEqual([200, 200]);
	});
});

describe('[AUTH-03][S] certificates by the control API', () => {
	const sendLre = async (certificate: boolean | { certificate: string; key: string } = true) => {
		const { status, json } = await send(sandbox, LRE, { certificate });
		return `${status} ${json.message ?? ''}`;
	};
	const add = (given: Input<'POST /accounts/{name}/certificates'>) =>
		sandbox.control('POST /accounts/{name}/certificates', given);

	it('a new one is accepted beside the first', async () => {
		const { certificate, key } = await add({ name: 'direct' });
		expect(await sendLre({ certificate, key })).toBe('201 ');
		expect(await sendLre()).toBe('201 ');
	});

	it('one of another account is not', async () => {
		const { certificate, key } = await add({ name: 'reseller' });
		expect(await sendLre({ certificate, key })).toContain('not registered');
	});

	it('one that was first used more than a year ago, or has expired, is not', async () => {
		expect(await sendLre()).toBe('201 ');
		await sandbox.control.advance(366 * 86_400_000);
		expect(await sendLre()).toContain('more than a year ago');
		await sandbox.control.advance(366 * 86_400_000);
		expect(await sendLre()).toContain('expired');
	});

	it('[TYPE-02] none is registered for a sender without KYC', async () => {
		await expect(add({ name: 'token-only' })).rejects.toMatchObject({ status: 409 });
		await sandbox.control('PUT /accounts/{name}/kyc', { name: 'direct', valid: false });
		expect(await sendLre()).toContain('identity verification');
	});
});
