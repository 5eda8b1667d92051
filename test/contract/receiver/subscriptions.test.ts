import { storedSubscriptionSchema } from '../../../webhook-receiver/src/contract.ts';
import { secretFingerprint } from '../../../webhook-receiver/src/fingerprint.ts';
import {
	ManualClock,
	SUBSCRIPTION_SECRET,
	call,
	cleanUp,
	settleDown,
	start,
	target,
	until,
} from './harness.ts';

afterEach(cleanUp);

const URL_OF_NOBODY = 'http://127.0.0.1:9/webhook';

it('registers, shows without the secret, changes only what changed, and removes', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const put = (more = {}) => receiver.subscribe('w1~n1~production', URL_OF_NOBODY, more);

	const created = await put();
	expect(created.status).toBe(200);
	const shown = storedSubscriptionSchema.parse(created.body);
	expect(shown).toMatchObject({
		key: 'w1~n1~production',
		url: URL_OF_NOBODY,
		events: ['*'],
		batchSize: 1,
		expiresAt: null,
		secretFingerprint: secretFingerprint(SUBSCRIPTION_SECRET),
	});
	expect(JSON.stringify(created.body)).not.toContain(SUBSCRIPTION_SECRET);

	clock.advance(1000);
	expect((await put()).body).toEqual(created.body);
	const changed = await put({ batchSize: 5, filter: { statuses: ['SENT'] } });
	expect(changed.body).toMatchObject({ batchSize: 5, createdAt: created.body.createdAt });
	expect(changed.body.updatedAt).not.toBe(created.body.updatedAt);

	const one = await receiver.manage('GET', '/subscriptions/w1~n1~production');
	const all = await receiver.manage('GET', '/subscriptions');
	expect(one.body).toEqual(changed.body);
	expect(all.body).toEqual({ data: [changed.body] });

	const remove = () => receiver.manage('DELETE', '/subscriptions/w1~n1~production');
	expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
	expect(await receiver.manage('GET', '/subscriptions/w1~n1~production')).toMatchObject({
		status: 404,
		body: { code: 'subscription-not-found' },
	});
});

it.each([
	['no secret', { secret: undefined }, 'secret'],
	['a weak secret', { secret: 'whsec_abc' }, 'secret: must be whsec_ and 24 to 64 bytes'],
	['another protocol', { url: 'file:///etc/passwd' }, 'url'],
	['an event of no kind', { events: ['letter.lost'] }, 'events'],
	['a batch of none', { batchSize: 0 }, 'batchSize'],
	['a member of no meaning', { colour: 'red' }, 'colour'],
	['an end in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
])('422 for %s, naming it and quoting no secret', async (_, more, named) => {
	const receiver = await start();
	const answer = await receiver.subscribe('flow', URL_OF_NOBODY, more);
	expect(answer).toMatchObject({ status: 422, body: { code: 'invalid-subscription' } });
	expect(answer.body.message).toContain(named);
	expect(JSON.stringify(answer.body)).not.toMatch(/whsec_[A-Za-z]/);
});

it('400 for a body that is not JSON', async () => {
	const receiver = await start();
	const answer = await call(`${receiver.url}/subscriptions/flow`, {
		method: 'PUT',
		headers: {
			authorization: 'Bearer management-token-of-tests',
			'content-type': 'application/json',
		},
		body: '{"url":',
	});
	expect(answer).toMatchObject({ status: 400, body: { code: 'broken-body' } });
});

it.each(['', 'wrong', 'management-token-of-test'])('401 for the token %p', async (token) => {
	const receiver = await start();
	const paths = ['/subscriptions', '/subscriptions/flow', '/events', '/deliveries'];
	for (const path of paths) {
		const headers = { authorization: `Basic ${token}x` };
		expect((await call(`${receiver.url}${path}`, { headers })).status).toBe(401);
		const answer = await receiver.manage('GET', path, undefined, token);
		expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
	}
});

it('422 for a target the operator did not name, in words', async () => {
	const receiver = await start({ env: { ALLOWED_TARGETS: 'n8n.example:5678' } });
	for (const url of [
		'http://127.0.0.1:5678/',
		'http://2130706433/',
		'https://elsewhere.example/',
	]) {
		const answer = await receiver.subscribe('flow', url);
		expect(answer).toMatchObject({ status: 422, body: { code: 'target-not-allowed' } });
		expect(answer.body.message).toContain('ALLOWED_TARGETS');
	}
	expect((await receiver.subscribe('flow', 'http://n8n.example:5678/w')).status).toBe(200);
});

it('a target that is no longer allowed after a restart gets no connection', async () => {
	const there = await target(() => 500);
	const first = await start();
	await first.subscribe('flow', there.url);
	await first.emit({ event: 'aes_sent' });
	await until(() => there.received.length === 1, 'it was tried once');
	await until(async () => (await first.deliveries())[0].attempts === 1, 'that is stored');
	await first.close();

	const clock = new ManualClock();
	clock.advance(365 * 86_400_000);
	const env = { ALLOWED_TARGETS: 'n8n.example' };
	const second = await start({ folder: first.folder, env, dependencies: { clock } });
	await until(async () => (await second.deliveries())[0].attempts === 2, 'it was tried again');
	expect((await second.deliveries())[0].lastResult).toMatch(/target refused/);
	expect(there.received).toHaveLength(1);
});

it('an expired subscription gets nothing and is removed', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const there = await target();
	const expiresAt = new Date(clock.now() + 120_000).toISOString();
	await receiver.subscribe('flow', there.url, { expiresAt });
	await receiver.emit({ event: 'aes_sent' });
	await until(() => there.received.length === 1, 'the event arrives while it lasts');
	clock.advance(120_000);
	await receiver.emit({ event: 'aes_opened' });
	// Cleaning runs every ten minutes.
	clock.advance(600_000);
	const gone = async () => (await receiver.manage('GET', '/subscriptions/flow')).status === 404;
	await until(gone, 'it is removed');
	await settleDown();
	expect(there.types()).toEqual(['tracked_mail.sent']);
});

it('tells whether it is alive and ready without a token', async () => {
	const receiver = await start();
	for (const path of ['/healthz', '/readyz']) {
		const answer = await call(`${receiver.url}${path}`, {});
		expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
		expect(answer.headers.get('x-powered-by')).toBeNull();
	}
});
