// Send Once Key: who may send under a key, on both stores. Time is moved by hand.
import { ME, USED_FOR, YOU, claimClient } from './claim-client.ts';
import { ManualClock, cleanUp, start, temporaryFolder, until } from './harness.ts';
import { HTTP_STORES } from './store-environment.ts';

jest.setTimeout(180_000);

afterEach(cleanUp);

describe.each(HTTP_STORES)('claims, in $name', (kind) => {
	let env: Record<string, string>;
	let folder: string;
	let clock: ManualClock;
	beforeEach(async () => {
		clock = new ManualClock();
		folder = temporaryFolder();
		env = await kind.environment();
	});
	const receiver = () => start({ folder, env, dependencies: { clock } });

	it('shows operators what is on record, newest first, page by page', async () => {
		const ask = claimClient(await receiver());
		for (let n = 1; n <= 5; n++) await ask.claim(ME, `k${n}`, { name: `invoice ${n % 2}` });
		await ask.sent(ME, 'k2');
		await ask.unknown(ME, 'k3');
		await ask.claim(ME, 'k5', { leaseSeconds: 1 });
		clock.advance(1_000);
		const keys = async (search: string) => (await ask.list(search)).data.map(({ key }) => key);
		expect(await keys('')).toEqual(['k5', 'k4', 'k3', 'k2', 'k1']);
		expect(await keys('?state=leaving')).toEqual(['k4', 'k1']);
		// As reported: the lease of k5 has lapsed.
		expect(await keys('?state=unknown')).toEqual(['k5', 'k3']);
		expect(await keys('?state=sent')).toEqual(['k2']);
		expect(await keys('?name=invoice%201')).toEqual(['k5', 'k3', 'k1']);
		expect(await keys('?name=invoice%201&state=leaving')).toEqual(['k1']);
		expect(await keys('?name=invoice')).toEqual([]);
		const { data, next } = await ask.list('?limit=2');
		expect(data.map(({ key }) => key)).toEqual(['k5', 'k4']);
		expect(await keys(`?limit=2&before=${next}`)).toEqual(['k3', 'k2']);
		const everything = JSON.stringify([await ask.list(), await ask.get('k2')]);
		expect(everything).not.toContain(ME);
	});

	it('lets operators free a key, whatever is known of it', async () => {
		const one = await receiver();
		const ask = claimClient(one);
		await ask.sent(ME);
		for (let n = 0; n < 2; n++) {
			expect(await one.manage('DELETE', '/claims/k')).toMatchObject({ status: 204 });
		}
		const gone = await one.manage('GET', '/claims/k');
		expect(gone).toMatchObject({ status: 404, body: { code: 'claim-not-found' } });
		expect(await ask.claim(YOU)).toMatchObject({ state: 'leaving', mine: true });
	});

	it('keeps an unknown key as sent, as a person says, and no other', async () => {
		const one = await receiver();
		const ask = claimClient(one);
		const settle = (body: object) => one.manage('POST', '/claims/k/sent', body);
		const messageIds = ['000000000012', '000000000013'];
		expect(await settle({ messageIds })).toMatchObject({ status: 404 });
		await ask.claim(ME, 'k', { name: 'invoice 7', usedFor: USED_FOR });
		// Under way.
		expect(await settle({ messageIds })).toMatchObject({
			status: 409,
			body: { code: 'claim-not-unknown', message: expect.stringContaining('but leaving') },
		});
		clock.advance(61_000);
		for (const wrong of [
			{},
			{ messageIds: [] },
			{ messageIds: ['12'] },
			{ messageIds, holder: ME },
		]) {
			expect(await settle(wrong)).toMatchObject({ status: 422 });
		}
		expect(await settle({ messageIds: [messageIds[0], messageIds[0]] })).toMatchObject({
			status: 422,
		});
		expect(await settle({ messageIds })).toMatchObject({ status: 200, body: { state: 'sent' } });
		const answer = { type: 'LRE', messages: messageIds.map((id) => ({ id })) };
		// The late report of who held it changes nothing.
		await ask.unknown(ME);
		expect(await ask.claim(YOU)).toMatchObject({ state: 'sent', name: 'invoice 7', answer });
		expect(await settle({ messageIds })).toMatchObject({ status: 409 });
		// One that somebody has freed meanwhile is not sent.
		await one.manage('DELETE', '/claims/k');
		expect(await settle({ messageIds })).toMatchObject({ status: 404 });
		expect(await ask.claim(YOU)).toMatchObject({ state: 'leaving', mine: true });
	});

	it('keeps claims while the rest is cleaned up; those that only retries ask for as long as they can', async () => {
		env = { ...env, RETENTION: '2d' };
		const one = await receiver();
		const ask = claimClient(one);
		await one.emit({ event: 'aes_sent', id: 'e1' });
		await ask.sent(ME);
		for (const key of ['own', 'unknown']) await ask.claim(ME, key, { isOwn: true });
		await ask.sent(ME, 'own');
		await ask.unknown(ME, 'unknown');
		// A cleaning under way would have begun before that time, and the next one is far.
		await one.atRest();
		clock.advance(3 * 86_400_000);
		const types = async () =>
			((await one.manage('GET', '/events')).body.data as Array<{ type: string }>).map(
				({ type }) => type,
			);
		// The unknown key makes one of its own.
		const isCleaned = async () => !(await types()).includes('tracked_mail.sent');
		await until(isCleaned, 'the event is cleaned');
		expect(await ask.claim(YOU)).toMatchObject({ state: 'sent' });
		const keys = async () => (await ask.list()).data.map(({ key }) => key).sort();
		expect(await keys()).toEqual(['k', 'own', 'unknown']);
		await one.atRest();
		clock.advance(118 * 86_400_000);
		await until(async () => !(await keys()).includes('own'), 'the key of retries is cleaned');
		expect(await keys()).toEqual(['k', 'unknown']);
	});

	it('a key says after LETTERS_RETENTION what it was used for, and not for whom', async () => {
		env = { ...env, RETENTION: '2d', LETTERS_RETENTION: '10d' };
		const one = await receiver();
		const ask = claimClient(one);
		await ask.claim(ME, 'k', { name: 'Invoice of Ada', usedFor: USED_FOR });
		const messageIds = ['000000000001'];
		await ask.put('k', { state: 'sent', holder: ME, answer: { messageIds } });
		await ask.claim(ME, 'unknown', { name: 'Invoice of Ben', usedFor: USED_FOR });
		await ask.unknown(ME, 'unknown');
		await one.atRest();
		clock.advance(11 * 86_400_000);
		const { list } = ask;
		await until(async () => (await list()).data.some(({ name }) => name === null), 'it is cleaned');
		expect((await list()).data).toMatchObject([
			{ key: 'unknown', name: 'Invoice of Ben', usedFor: USED_FOR },
			{ key: 'k', name: null, usedFor: { ...USED_FOR, to: expect.not.stringContaining('ada') } },
		]);
		expect(await ask.claim(YOU)).toMatchObject({ state: 'sent', answer: { messageIds } });
	});
});

describe('what is asked', () => {
	it('is refused, and named', async () => {
		const receiver = await start();
		const change = { state: 'leaving', holder: 'short', leaseSeconds: 60 };
		const answer = await receiver.manage('PUT', '/claims/k', change);
		expect(answer).toMatchObject({ status: 422, body: { code: 'invalid-claim' } });
		expect(answer.body.message).toContain('holder');
		expect(JSON.stringify(answer.body)).not.toContain('short');
		expect((await receiver.manage('GET', '/claims/k')).status).toBe(404);
	});

	it.each(['?state=free', '?limit=501'])('is refused in a list: %s', async (search) => {
		const answer = await (await start()).manage('GET', `/claims${search}`);
		expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-query' } });
		expect(answer.body.message).toContain(/\w+/.exec(search)?.[0]);
	});
});
