// What the operator page knows, any program can ask: its lists, as the API answers them.
import { consumerViewSchema } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { waitViewSchema } from '../../../webhook-receiver/src/core/wait-contract.ts';
import { KEY, ManualClock, cleanUp, idOf, start, waitFor } from './harness.ts';
import { HTTP_STORES } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const ID = idOf(1);
const MINUTE = 60_000;
const sent = (messageId: number) => ({ event: 'aes_sent', messageId });

describe.each(HTTP_STORES)('on $name', (kind) => {
	const begin = async () => {
		const clock = new ManualClock();
		const env = await kind.environment();
		const receiver = await start({ env, dependencies: { clock } });
		const get = async <T = Record<string, unknown>>(path: string) => {
			const { status, body } = await receiver.manage('GET', path);
			expect(status).toBe(200);
			return body as unknown as { data: T[]; next: number | string | null } & T;
		};
		return { clock, receiver, get };
	};
	/** Lets n8n refuse so many events for good. */
	const refused = async ({ receiver }: Awaited<ReturnType<typeof begin>>, count: number) => {
		await receiver.pull({ name: 'Invoices' });
		await receiver.emit(Array.from({ length: count }, (_, n) => sent(n + 1)));
		const { batches } = await receiver.pulled({ atOnce: 100, name: 'Invoices' });
		const settle = batches.map(({ id }) => ({ batch: id, outcome: 'term' as const }));
		await receiver.pulled({ settle, atOnce: 0, name: 'Invoices' });
	};

	it('each comes to its end, one by one: nothing is left out, and nothing follows the last', async () => {
		const begun = await begin();
		const { clock, receiver, get } = begun;
		await refused(begun, 3);
		// Younger than the first, and before it by its key.
		clock.advance(1);
		await receiver.pull({}, { key: 'n8n~another' });
		await receiver.emit({ event: 'aes_opened', messageId: 1 });
		for (const n of [1, 2]) {
			const claim = { state: 'leaving', holder: 'holder-of-tests', leaseSeconds: 60 };
			await receiver.manage('PUT', `/claims/k${n}`, claim);
			await receiver.manage('PUT', `/waits/wait-0000-0000-000${n}`, waitFor(clock, [ID]));
		}
		const walk = async (path: string, place: string, begin: string) => {
			const found: object[] = [];
			for (let query = begin; ; ) {
				const { data, next } = await get<object>(`${path}limit=1${query}`);
				found.push(...data);
				if (next === null) return found;
				expect(data).toHaveLength(1);
				query = `&${place}=${next}`;
			}
		};
		for (const [path, place = 'before', from = ''] of [
			['/events?'],
			[`/events?message=${ID}&`, 'after'],
			['/batches?'],
			['/batches?', 'after', '&after=0'],
			[`/batches?message=${ID}&`],
			['/consumers?', 'after'],
			['/claims?'],
			['/waits?'],
			['/watches?'],
			['/attention?state=over&'],
		] as Array<[string, string?, string?]>) {
			const whole = await get<object>(`${path}limit=500${from}`);
			expect([path, whole.next]).toEqual([path, null]);
			expect(new Set(await walk(path, place, from))).toEqual(new Set(whole.data));
		}
	});

	it('one consumer', async () => {
		const { receiver, get } = await begin();
		await receiver.pull({ name: 'Invoices' });
		expect(consumerViewSchema.strict().parse(await get(`/consumers/${KEY}`))).toMatchObject({
			name: 'Invoices',
		});
		expect((await receiver.manage('GET', '/consumers/none')).status).toBe(404);
	});

	it('events and batches of a message, batches of a consumer, oldest first where asked', async () => {
		const begun = await begin();
		const { receiver, get } = begun;
		await refused(begun, 3);
		await receiver.emit([
			{ event: 'aes_opened', messageId: 1 },
			{ event: 'aes_opened', messageId: 9 },
		]);
		const types = async (query: string) => {
			const { data } = await get<{ type: string }>(`/events?${query}`);
			return data.map(({ type }) => type);
		};
		expect(await types(`message=${ID}`)).toEqual(['tracked_mail.sent', 'tracked_mail.opened']);
		expect(await types(`message=${ID}&limit=1`)).toEqual(['tracked_mail.sent']);
		expect(await types(`message=${ID}&after=1`)).toEqual(['tracked_mail.opened']);
		expect((await receiver.manage('GET', '/events?message=7')).status).toBe(400);
		const numbers = async (query: string) => {
			const { data } = await get<{ number: number }>(`/batches?${query}`);
			return data.map(({ number }) => number);
		};
		expect(await numbers('message=000000000002')).toEqual([2]);
		expect(await numbers('state=dead')).toEqual([3, 2, 1]);
		expect(await numbers('state=dead&after=1')).toEqual([2, 3]);
		expect(await numbers(`consumer=${KEY}`)).toEqual([3, 2, 1]);
		expect(await numbers('consumer=another')).toEqual([]);
		const wants = { events: ['*'], batchSize: 2 };
		await receiver.pulled({ atOnce: 1, name: 'Invoices', wants });
		expect(await numbers('state=open')).toEqual([4]);
		// Of the letter alone, and later of two.
		expect(await numbers(`message=${ID}`)).toEqual([4, 1]);
		expect(await numbers(`message=${ID}&before=4`)).toEqual([1]);
	});

	it('activity of the last hours', async () => {
		const begun = await begin();
		const { clock, get } = begun;
		await refused(begun, 2);
		clock.advance(90 * MINUTE);
		const [span] = (await get('/activity')).data;
		expect(span).toMatchObject({ events: 2, done: 0, dead: 2 });
		const { data } = await get<{ dead: number }>('/activity?hours=1');
		expect(data.filter(({ dead }) => dead > 0)).toEqual([]);
	});

	it('waits, of a message and of all, page by page, without what could wake them', async () => {
		const { clock, receiver, get } = await begin();
		for (let n = 0; n < 5; n++) {
			// Two in the same millisecond.
			if (n % 2 === 0) clock.advance(1);
			const wait = waitFor(clock, [n === 4 ? idOf(2) : ID], {
				resumeUrl: `https://n8n.example/wait/${n}?signature=secret`,
			});
			await receiver.manage('PUT', `/waits/wait-number-${n}-of-the-tests`, wait);
		}
		const walk = async (query: string) => {
			const found: string[] = [];
			for (let before = ''; ; ) {
				const { data, next } = await get<object>(`/waits?limit=2&${query}${before}`);
				expect(JSON.stringify(data)).not.toContain('secret');
				found.push(...data.map((one) => waitViewSchema.strict().parse(one).target.slice(-1)));
				if (next === null) return found.join('');
				before = `&before=${next}`;
			}
		};
		expect(await walk('')).toBe('43210');
		expect(await walk(`message=${ID}`)).toBe('3210');
		expect(await walk('message=000000000009')).toBe('');
	});
});
