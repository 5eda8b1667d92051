// Pages of consents and customers: when they are asked for, what an answer means, and whose a consent is.
import { ManualClock, cleanUp, start, waitForConsents } from './harness.ts';
import { pollService } from './watching/service.ts';
import type { ListedEntry, Trouble } from './watching/service.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

jest.setTimeout(120_000);
afterEach(cleanUp);

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, 'a')}`;

/** A receiver whose consumer wants these events, so that their lists are watched. */
async function watching(events: string[], more: Record<string, string> = {}) {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	const env = service.env({ WATCH_RATE_LIMIT: '60000', RETENTION: '365d', ...more });
	const receiver = await start({ env, dependencies: { clock } });
	const want = (wants: string[], key: string) =>
		receiver.pulled({ wants: { events: wants } }, { key });
	await want(events, 'n8n~first');
	const asked = (list: string) =>
		service.pages.filter((path) => path.startsWith(`/${list}`)).length;
	const pass = async (milliseconds: number, step = SECOND) => {
		for (const to = clock.now() + milliseconds; clock.now() < to; ) {
			clock.advance(step);
			await receiver.atRest();
		}
	};
	const problems = async () => {
		const { body } = await receiver.manage('GET', '/watches/service');
		const lists = body.lists as Array<{ name: string; problem: string | null }>;
		return {
			all: body.problem,
			lists: Object.fromEntries(lists.map((one) => [one.name, one.problem])),
		};
	};
	return { clock, service, receiver, want, asked, pass, problems };
}

const entry = (n: number, more: object = {}): ListedEntry => ({
	id: idOf(n),
	state: 'PENDING',
	email: 'ada@x.example',
	firstName: 'Ada',
	lastName: 'Blau',
	sender: null,
	createdAt: new Date(Date.UTC(2026, 0, 1) + n * SECOND).toISOString(),
	...more,
});
const META = { total: 1, perPage: 100, currentPage: 1, lastPage: 1, firstPage: 1 };
const paged = (meta: object, data: unknown = [entry(1)]): Trouble => ({
	status: 200,
	body: { data, meta: { ...META, ...meta } },
});

it.each<[string, Trouble, RegExp | null]>([
	['nothing, past its end', paged({ lastPage: 0, total: 0 }, []), null],
	[
		'an entry without an id, and another',
		paged({ total: 2 }, [{ state: 'PENDING' }, entry(1)]),
		null,
	],
	['HTML', { status: 200, body: '<html>Login</html>' }, /not answer with a list/],
	['a bare list', { status: 200, body: [entry(1)] }, /not answer with a list/],
	['an entry that is none', paged({}, [entry(1), null]), /not answer with a list/],
	['another page', paged({ currentPage: 2 }), /page 2 of the list instead of page 1/],
	['no page', paged({ currentPage: null }), /page null of the list instead of page 1/],
	['nothing before its end', paged({ lastPage: 3 }, []), /empty, though it has 3 pages/],
	['no number of pages', paged({ lastPage: null }), /did not say how many pages/],
	['no number of entries', paged({ total: '' }), /did not say how many pages/],
	['404', { status: 404, body: { code: 'message-not-found' } }, /404/],
	['500', { status: 500 }, /500/],
])('[CONS-07][CUST-03] a page that has %s', async (_, answer, problem) => {
	const { service, pass, asked, problems } = await watching(['consent.accepted']);
	service.listTrouble = () => answer;
	await pass(SECOND);
	expect(asked('consents')).toBe(1);
	const { all, lists } = await problems();
	// One that can't be read by itself holds up nothing else.
	expect([all, lists.consents]).toEqual([null, problem && expect.stringMatching(problem)]);
});

it.each([401, 403])(
	'[CUST-08] customers are for resellers: %i says nothing of the token',
	async (status) => {
		const { service, pass, asked, problems } = await watching([
			'consent.accepted',
			'customer.revoked',
		]);
		service.listTrouble = (path) => (path.startsWith('/customers') ? { status } : null);
		await pass(30 * MINUTE, 10 * SECOND);
		const { all, lists } = await problems();
		expect([all, lists.consents]).toEqual([null, null]);
		expect(lists.customers).toMatch(/only resellers have customers/);
		expect(asked('consents')).toBeGreaterThan(20);
		expect(asked('customers')).toBeLessThan(5);
		service.listTrouble = (path) => (path.startsWith('/consents') ? { status } : null);
		await pass(MINUTE);
		expect((await problems()).all).toContain(String(status));
	},
);

it('[CONS-07] a list is read anew after a reading that broke off', async () => {
	const { service, pass, asked, problems } = await watching(['consent.accepted']);
	service.listTrouble = (path) => {
		if (!path.includes('page=1&')) return { status: 404 };
		return asked('consents') === 1 ? paged({ total: 101, lastPage: 2 }) : null;
	};
	await pass(10 * MINUTE, 10 * SECOND);
	const pages = service.pages.map((path) => Number(/page=(\d+)/.exec(path)?.[1]));
	expect(pages.slice(0, 3)).toEqual([1, 2, 1]);
	expect((await problems()).lists.consents).toBeNull();
});

it('[CONS-07] who was missed while it is first read, since others moved up, is not new', async () => {
	const { service, receiver, pass, asked } = await watching(['consent.accepted']);
	service.pageSize = 2;
	const consents = [1, 2, 3, 4].map((n) => entry(n, { email: `${n}@x.example` }));
	consents[2].state = 'ACCEPTED';
	service.lists.consents = consents;
	service.listTrouble = (path) => {
		// A newer one takes the place of the first, and the third moves to the first page, which was read already.
		if (asked('consents') === 2 && path.includes('page=2&')) {
			consents.push({ ...consents.shift()!, ...entry(5, { email: '1@x.example' }) });
		}
		return null;
	};
	await pass(3 * MINUTE, 10 * SECOND);
	expect(service.pages.length).toBeGreaterThan(3);
	expect(await receiver.events()).toEqual([]);
});

it('[CONS-07] a list is read by the pace of letters, but every ten minutes at least', async () => {
	const { pass, asked } = await watching(['consent.accepted'], {
		WATCH_DELAYS: '0s:1m,1h:10m,1d:1h',
	});
	await pass(10 * MINUTE, 10 * SECOND);
	expect(asked('consents')).toBeGreaterThanOrEqual(8);
	expect(asked('consents')).toBeLessThanOrEqual(13);
	await pass(2 * DAY, 30 * MINUTE);
	const before = asked('consents');
	await pass(120 * MINUTE, MINUTE);
	expect(asked('consents') - before).toBeGreaterThanOrEqual(9);
	expect(asked('consents') - before).toBeLessThanOrEqual(16);
});

it('[CONS-07] reading lists takes up a tenth of the rate limit', async () => {
	const { service, pass, asked } = await watching(['consent.accepted'], { WATCH_RATE_LIMIT: '60' });
	service.pageSize = 1;
	service.lists.consents = Array.from({ length: 30 }, (_, n) =>
		entry(n, { email: `${n}@x.example` }),
	);
	await pass(30 * MINUTE, 5 * SECOND);
	expect(asked('consents')).toBeGreaterThanOrEqual(60);
	expect(asked('consents')).toBeLessThanOrEqual(240);
});

it('[CONS-07] who comes to want a list has it read at once, after ten seconds at the soonest', async () => {
	const { pass, asked, want } = await watching(['consent.accepted'], { WATCH_DELAYS: '0s:9m' });
	await pass(15 * SECOND);
	expect(asked('consents')).toBe(1);
	await want(['consent.refused'], 'n8n~second');
	await pass(SECOND);
	expect(asked('consents')).toBe(2);
	await want(['*'], 'n8n~third');
	await pass(5 * SECOND);
	expect(asked('consents')).toBe(2);
	await pass(10 * SECOND);
	expect(asked('consents')).toBe(3);
});

it.each<[string[], object | undefined, string[]]>([
	[['*'], undefined, ['consents', 'customers']],
	[['*'], { fileReference: 'F' }, []],
	[['*', 'customer.revoked'], { fileReference: 'F' }, ['customers']],
	[['consent.refused', 'letter.sent'], undefined, ['consents']],
	[['letter.sent', 'receiver.attention'], undefined, []],
])('[EVNT-02] %j with the filter %j has watched: %j', async (events, filter, lists) => {
	const { receiver, pass, asked } = await watching(['letter.sent']);
	await receiver.pulled({ wants: { events, filter, batchSize: 1 } }, { key: 'n8n~first' });
	await pass(2 * SECOND);
	expect(['consents', 'customers'].filter((list) => asked(list) > 0)).toEqual(lists);
});

it('[CONS-07] a newer consent answers for an older one of the same contact, however it is spelled', async () => {
	const SAME: Array<Record<string, string>> = [
		{},
		{ email: ' ADA@X.Example' },
		{ lastName: 'BLAU ' },
		{ email: 'ada@x.example ' },
	];
	const OTHERS: Array<Record<string, string>> = [
		{ email: 'bob@x.example' },
		{ sender: idOf(999) },
		{ firstName: 'Otto' },
		{ lastName: 'Rot' },
		{ company: 'Rot' },
		{ identifier: '123456789' },
	];
	const changes = [...SAME, ...OTHERS];
	const { clock, service, receiver, pass } = await watching(['letter.sent']);
	const waitPath = (n: number) => `/waits/wait-0000-0000-${String(n).padStart(4, '0')}`;
	// Each has an address of its own, so that none answers for another.
	const person = (n: number) => ({ email: `ada@x${n}.example` });
	service.lists.consents = changes.map((_, n) => entry(n, person(n)));
	for (const n of changes.keys()) {
		await receiver.manage('PUT', waitPath(n), waitForConsents(clock, [idOf(n)], DAY));
	}
	await pass(20 * SECOND);
	service.lists.consents = changes.map((change, n) => {
		const email = change.email
			? change.email.replace(/x\.example/i, `X${n}.example`)
			: person(n).email;
		return { ...entry(100 + n, change), email, state: 'ACCEPTED' };
	});
	await pass(3 * MINUTE, 10 * SECOND);
	const found = await Promise.all(
		[...changes.keys()].map(async (n) => {
			const [{ outcome }] = (await receiver.manage('GET', waitPath(n))).body.outcomes as Array<{
				outcome: string;
			}>;
			return [changes[n], outcome];
		}),
	);
	expect(found).toEqual(changes.map((one, n) => [one, n < SAME.length ? 'accepted' : 'none']));
});
