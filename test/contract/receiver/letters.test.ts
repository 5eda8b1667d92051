// The book of letters: a record begins with its claim, before the letter leaves, and is found and counted.
import { letterSchema, lettersSchema } from '../../../webhook-receiver/src/core/letter-contract.ts';
import type { Letter } from '../../../webhook-receiver/src/core/letter-contract.ts';
import { LETTER, ME, YOU, claimClient, claiming } from './claim-client.ts';
import { ManualClock, cleanUp, start, temporaryFolder, until } from './harness.ts';
import { STORES } from './store-environment.ts';

jest.setTimeout(180_000);

afterEach(cleanUp);

const [ADA] = LETTER.recipients;
const BEN = 'ben@recipients.example';
const [ONE, TWO, THREE] = ['000000000001', '000000000002', '000000000003'];

const letter = (more: object = {}) => ({ ...LETTER, ...more });

const WATCHES = { SERVICE_URL: 'https://127.0.0.1:9', SERVICE_TOKEN: 'token-of-tests' };

describe.each(STORES)('letters, in $name', (kind) => {
	let clock: ManualClock;
	let receiver: Awaited<ReturnType<typeof start>>;
	let ask: ReturnType<typeof claimClient>;

	const own = (more: object = {}) => letter({ service: WATCHES.SERVICE_URL, ...more });
	const open = async (env: Record<string, string> = {}) => {
		clock = new ManualClock();
		const all = { ...(await kind.environment()), ...env };
		receiver = await start({ folder: temporaryFolder(), env: all, dependencies: { clock } });
		ask = claimClient(receiver);
	};
	const sent = async (holder: string, key: string, messageIds: string[]) =>
		await ask.put(key, {
			state: 'sent',
			holder,
			answer: { messages: messageIds.map((id) => ({ id })) },
			messageIds,
		});
	const find = async (search = ''): Promise<Letter[]> => {
		const { status, body } = await receiver.manage('GET', `/letters${search}`);
		expect(status).toBe(200);
		const { data } = lettersSchema.parse(body);
		for (const one of data) letterSchema.unwrap().strict().parse(one);
		return data;
	};
	const brief = async (search = '') =>
		(await find(search)).map(({ messageId, recipient, outcome }) => [
			messageId,
			recipient,
			outcome,
		]);
	const summary = async (search = '') =>
		(await receiver.manage('GET', `/letters/summary${search}`)).body;

	it('begin with the claim, and go on under the id of the service, with all that follows', async () => {
		await open(WATCHES);
		const references = { fileReference: 'F 1', customerReference: 'C 1' };
		await ask.claim(ME, 'k', { letter: own({ ...references, recipients: [ADA, BEN] }) });
		expect(await brief()).toEqual([
			[null, BEN, 'leaving'],
			[null, ADA, 'leaving'],
		]);
		await sent(ME, 'k', [ONE, TWO]);
		const found = await find();
		expect(found[1]).toEqual({
			messageId: ONE,
			outcome: 'open',
			status: null,
			type: 'LRE',
			recipient: ADA,
			sender: null,
			...references,
			workflow: { id: 'w1', name: 'Reminders' },
			executionId: '7',
			claim: 'k',
			reason: null,
			beganAt: expect.any(String),
			changedAt: null,
		});
		for (const id of [ONE, TWO]) {
			const watch = await receiver.manage('GET', `/watches/${id}`);
			expect(watch.body).toMatchObject({ messageType: 'LRE', ...references, endedAt: null });
		}
		await receiver.emit([{ event: 'lre_failed', messageId: TWO }]);
		expect(await brief()).toEqual([
			[TWO, BEN, 'failed'],
			[ONE, ADA, 'open'],
		]);
		// An event of a letter has its references, though the service does not repeat them.
		const { body } = await receiver.manage('GET', `/events?message=${TWO}`);
		expect(body).toMatchObject({ data: [{ messageId: TWO }] });
		expect(await summary()).toEqual({ total: 2, outcomes: { open: 1, failed: 1 } });
	});

	it('whose first event is faster than its claim is one letter', async () => {
		await open(WATCHES);
		await ask.claim(ME, 'k', { letter: own({ type: 'AES', fileReference: 'F 1' }) });
		await receiver.emit([{ event: 'aes_opened', messageId: ONE }]);
		await sent(ME, 'k', [ONE]);
		expect(await brief()).toEqual([[ONE, ADA, 'opened']]);
		expect(await brief('?fileReference=F%201')).toEqual([[ONE, ADA, 'opened']]);
	});

	it('of others begin with their first event', async () => {
		await open();
		await receiver.emit([{ event: 'aes_received', messageId: ONE }]);
		expect(await brief()).toEqual([[ONE, null, 'open']]);
		expect(await brief('?status=received')).toEqual([[ONE, null, 'open']]);
	});

	it('of unknown outcome are in it until a person settles them', async () => {
		await open(WATCHES);
		for (const key of ['told', 'silent', 'free']) {
			await ask.claim(ME, key, { letter: own({ recipients: [`${key}@x.example`] }) });
		}
		await ask.unknown(ME, 'told');
		await ask.free(ME, 'free');
		expect(await brief('?outcome=leaving')).toEqual([[null, 'silent@x.example', 'leaving']]);
		clock.advance(61_000);
		expect(await brief('?outcome=unknown')).toEqual([
			[null, 'silent@x.example', 'unknown'],
			[null, 'told@x.example', 'unknown'],
		]);
		expect(await brief('?outcome=leaving')).toEqual([]);
		expect(await summary()).toEqual({ total: 2, outcomes: { unknown: 2 } });
		await ask.claim(ME, 'consent');
		await ask.unknown(ME, 'consent');
		const { data } = await ask.list('?state=unknown&letters=none');
		expect(data.map(({ key }) => key)).toEqual(['consent']);
		const reasons = (await find('?outcome=unknown')).map(({ reason }) => reason);
		expect(reasons).toEqual([expect.stringMatching(/never reported the result/), 'cut off']);
		const settle = async (messageIds: string[]) =>
			await receiver.manage('POST', '/claims/told/sent', { messageIds });
		expect(await settle([ONE, TWO])).toMatchObject({
			status: 409,
			body: { code: 'wrong-number-of-letters' },
		});
		await settle([ONE]);
		await receiver.manage('DELETE', '/claims/silent');
		expect(await brief()).toEqual([[ONE, 'told@x.example', 'open']]);
		expect((await receiver.manage('GET', `/watches/${ONE}`)).status).toBe(200);
	});

	it('are leaving as long as their sender renews its claim, and no longer', async () => {
		await open(WATCHES);
		await ask.claim(ME, 'k', { letter: own() });
		for (let renewed = 0; renewed < 3; renewed++) {
			clock.advance(40_000);
			await ask.claim(ME, 'k');
			expect(await brief('?outcome=leaving')).toEqual([[null, ADA, 'leaving']]);
		}
		clock.advance(40_000);
		expect(await summary()).toEqual({ total: 1, outcomes: { leaving: 1 } });
		clock.advance(40_000);
		expect(await summary()).toEqual({ total: 1, outcomes: { unknown: 1 } });
		await ask.claim(YOU, 'k', { takeUnknown: true });
		expect(await brief()).toEqual([[null, ADA, 'leaving']]);
	});

	it('that are sent again after all are one letter, and stay unknown if they were not', async () => {
		await open();
		await ask.claim(ME, 'k', { letter: own() });
		await ask.unknown(ME, 'k');
		// Once more, as if the first answer got lost.
		for (let asked = 0; asked < 2; asked++) {
			await ask.claim(YOU, 'k', { letter: own(), takeUnknown: true });
			expect(await brief()).toEqual([[null, ADA, 'leaving']]);
		}
		await ask.free(YOU, 'k');
		expect(await brief()).toEqual([[null, ADA, 'unknown']]);
		await ask.claim(YOU, 'k', { letter: own(), takeUnknown: true });
		await sent(YOU, 'k', [ONE]);
		// The late word of who had it before changes nothing.
		await ask.unknown(ME, 'k');
		expect(await brief()).toEqual([[ONE, ADA, 'open']]);
	});

	it('are found by what is known of them, page by page', async () => {
		await open();
		const facts = [
			{ recipients: ['Ada@Recipients.example'], customerReference: 'C 1' },
			{ recipients: [BEN], fileReference: 'C 1', workflow: { id: 'w2', name: 'Invoices' } },
			{ recipients: [BEN], type: 'LS', customerReference: 'C 3' },
		];
		for (const [at, more] of facts.entries()) {
			await ask.claim(ME, `k${at}`, { letter: own(more) });
			await sent(ME, `k${at}`, [`00000000001${at}`]);
			clock.advance(60_000);
		}
		const ids = async (search: string) =>
			(await find(search)).map(({ messageId }) => messageId?.at(-1)).join('');
		expect(await ids('')).toBe('210');
		expect(await ids(`?recipient=${ADA}`)).toBe('0');
		expect(await ids(`?recipient=${BEN}&customerReference=C%203`)).toBe('2');
		expect(await ids('?reference=C%201')).toBe('10');
		expect(await ids('?customerReference=C%201')).toBe('0');
		expect(await ids('?workflow=w2')).toBe('1');
		const at = new Date(clock.now() - 120_000).toISOString();
		expect(await ids(`?since=${at}`)).toBe('21');
		expect(await ids(`?until=${at}`)).toBe('0');
		expect(await summary(`?until=${at}`)).toEqual({ total: 1, outcomes: { open: 1 } });
		const { body } = await receiver.manage('GET', '/letters?limit=2');
		expect(await ids(`?limit=2&before=${String(body.next)}`)).toBe('0');
	});

	it('are counted as they are listed, whatever is asked and became of them', async () => {
		await open({ ...WATCHES, LETTERS_RETENTION: '60d' });
		const since = (days: number) => new Date(clock.now() - days * 86_400_000).toISOString();
		for (let at = 0; at < 24; at++) {
			const workflow = { id: `w${at % 3}`, name: 'W' };
			const references = { fileReference: `F ${at % 4}`, customerReference: `F ${at % 2}` };
			await ask.claim(ME, `k${at}`, { letter: own({ ...references, workflow }) });
			const id = String(at).padStart(12, '0');
			if (at % 4 === 0) await ask.free(ME, `k${at}`);
			if (at % 4 === 1) await ask.unknown(ME, `k${at}`);
			if (at % 4 > 1) await sent(ME, `k${at}`, [id]);
			if (at % 4 === 3) await receiver.emit([{ event: 'lre_failed', messageId: id }]);
			clock.advance(2.5 * 86_400_000);
		}
		await receiver.manage('DELETE', '/letters/000000000022');
		const isSame = async (search: string) => {
			const letters = await find(`?limit=500&${search}`);
			const outcomes: Record<string, number> = {};
			for (const { outcome } of letters) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
			expect({ search, ...(await summary(`?${search}`)) }).toEqual({
				search,
				total: letters.length,
				outcomes,
			});
			return letters.length;
		};
		const all = await isSame('');
		expect(all).toBe(17);
		const kinds = ['', '&outcome=unknown', '&outcome=failed', '&workflow=w1&status=failed'];
		for (const kind of kinds) {
			for (const days of [0, 9, 30, 61]) {
				await isSame(`since=${since(days)}${kind}`);
				await isSame(`until=${since(days)}${kind}`);
				await isSame(`since=${since(days + 8)}&until=${since(days)}${kind}`);
			}
			await isSame(`reference=F%201${kind}`);
			await isSame(`recipient=${ADA}&fileReference=F%203${kind}`);
		}
		await receiver.atRest();
		clock.advance(20 * 86_400_000);
		await until(async () => (await find()).length < all, 'old letters are cleaned');
		await isSame('');
	});

	it('are erased, also those that have no id yet, and what comes of them later', async () => {
		await open(WATCHES);
		const reference = { customerReference: 'Rossi' };
		await receiver.pulled();
		for (const key of ['sent', 'unknown', 'overtaken']) {
			await ask.claim(ME, key, { name: `Rossi ${key}`, letter: own(reference) });
		}
		await sent(ME, 'sent', [ONE]);
		// The others are known by their claims alone.
		await receiver.emit([{ event: 'lre_failed', messageId: ONE, ...reference }]);
		const { body } = await receiver.manage('DELETE', '/letters?customerReference=Rossi');
		expect(body).toEqual({ erased: [ONE], withoutId: 2 });
		// Its sender, which has not heard the answer, names it again.
		await ask.claim(ME, 'unknown', { name: 'Rossi unknown', letter: own(reference) });
		expect(JSON.stringify(await ask.list())).not.toContain('Rossi');
		expect(await find()).toEqual([]);
		await sent(ME, 'unknown', [TWO]);
		await receiver.emit([{ event: 'lre_failed', messageId: TWO }]);
		// Nobody knows yet that this is one of them.
		await receiver.emit([{ event: 'lre_failed', messageId: THREE, ...reference }]);
		await sent(ME, 'overtaken', [THREE]);
		expect(await find()).toEqual([]);
		const kept = [await ask.list(), (await receiver.manage('GET', '/events')).body];
		expect(JSON.stringify(kept)).not.toMatch(/Rossi|ada@|00000000000/);
		expect((await receiver.pulled()).batches).toEqual([]);
		for (const id of [ONE, TWO, THREE]) {
			const { body } = await receiver.manage('GET', `/letters/${id}`);
			expect(body).toMatchObject({ watch: null, erasedUntil: expect.any(String) });
		}
	});

	it('stay longer than their events, and go once they are old', async () => {
		await open({ RETENTION: '2d', LETTERS_RETENTION: '10d' });
		await ask.claim(ME, 'k', { letter: own() });
		await sent(ME, 'k', [ONE]);
		await receiver.emit([{ event: 'lre_failed', messageId: ONE }]);
		await receiver.atRest();
		clock.advance(3 * 86_400_000);
		const events = async () => (await receiver.manage('GET', '/events')).body.data as object[];
		await until(async () => (await events()).length === 0, 'the event is cleaned');
		expect(await brief()).toEqual([[ONE, ADA, 'failed']]);
		await receiver.atRest();
		clock.advance(8 * 86_400_000);
		await until(async () => (await find()).length === 0, 'the letter is cleaned');
		// It is still known.
		await receiver.emit([{ event: 'lre_failed', messageId: ONE }]);
		expect(await events()).toEqual([]);
		expect(await brief()).toEqual([]);
		// With something new it is a letter like any other.
		await receiver.emit([{ event: 'lre_sent', messageId: ONE }]);
		expect(await brief()).toEqual([[ONE, null, 'failed']]);
	});
});

describe.each(STORES)('a limit of letters, in $name', (kind) => {
	it('holds, whoever asks at the same time; what was not sent makes room, and time does', async () => {
		const clock = new ManualClock();
		const env = { ...(await kind.environment()), LETTER_LIMIT: '20/1d,5/1h' };
		const dependencies = { clock };
		const folder = temporaryFolder();
		const receivers = [await start({ folder, env, dependencies })];
		// The embedded store has one.
		if (kind.name === 'PostgreSQL') receivers.push(await start({ env, dependencies }));
		let tries = 0;
		const states = async () => {
			const asked = Array.from({ length: 30 }, async () => {
				const { claim } = claimClient(receivers[tries % receivers.length]);
				const recipients = Array.from({ length: 1 + (tries % 2) }, () => ADA);
				const key = `k${++tries}`;
				const { state, reason } = await claim(ME, key, { letter: letter({ recipients }) });
				return { key, state, reason, count: recipients.length };
			});
			return await Promise.all(asked);
		};
		const sent = (all: Awaited<ReturnType<typeof states>>) =>
			all.reduce((sum, { state, count }) => sum + (state === 'leaving' ? count : 0), 0);
		const first = await states();
		expect(sent(first)).toBe(5);
		expect(first.find(({ state }) => state === 'limited')?.reason).toMatch(
			/^LETTER_LIMIT of the webhook receiver allows 5 letters within 1 hours \(5\/1h\)/,
		);
		const [one] = receivers;
		const ask = claimClient(one);
		// Who has the key may ask again, and what is limited is kept nowhere.
		const ours = first.filter(({ state }) => state === 'leaving');
		expect(await ask.claim(ME, ours[0].key, { letter: letter() })).toMatchObject({ mine: true });
		expect((await ask.list('?limit=500')).data).toHaveLength(ours.length);
		await ask.free(ME, ours[0].key);
		expect(sent(await states())).toBe(ours[0].count);
		for (let hours = 1, all = 5; hours < 6; hours++) {
			clock.advance(3_600_001);
			const more = sent(await states());
			all += more;
			expect(all).toBe(Math.min(20, 5 * (hours + 1)));
		}
		clock.advance(24 * 3_600_000);
		// Those that others send are not of the limit.
		await one?.emit([{ event: 'lre_sent', messageId: ONE }]);
		expect(sent(await states())).toBe(5);
		clock.advance(3_600_001);
		const together = Array.from({ length: 8 }, (_, n) =>
			claiming(`m${n}`, ME, { letter: letter() }),
		);
		const claims = await ask.all(together);
		expect(claims.filter(({ state }) => state === 'leaving')).toHaveLength(5);
		// What is no letter is not counted.
		expect(await ask.claim(ME, 'customer')).toMatchObject({ state: 'leaving' });
	});
});

it.each([LETTER.service, `${WATCHES.SERVICE_URL}8`])(
	'a letter to another service than the receiver’s is refused: %s',
	async (service) => {
		const { manage } = await start({ env: WATCHES });
		const claims = [claiming('k', ME, { letter: letter({ service }) })];
		expect(await manage('PUT', '/claims', { claims })).toMatchObject({
			status: 409,
			body: { code: 'another-service', message: expect.stringContaining(`goes to ${service}`) },
		});
		expect((await manage('GET', '/claims/k')).status).toBe(404);
	},
);

it.each(['?outcome=gone', '?since=yesterday', '?unknown=1', '?limit=501'])(
	'what is asked wrongly is refused: %s',
	async (search) => {
		const one = await start();
		const answer = await one.manage('GET', `/letters${search}`);
		expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-query' } });
	},
);
