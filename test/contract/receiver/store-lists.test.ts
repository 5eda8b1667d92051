// One contract, both stores: what pages of the service's lists leave behind. Times are passed in.
import type { ListName } from '../../../webhook-receiver/src/core/lists.ts';
import { readEntry } from '../../../webhook-receiver/src/core/list-entry.ts';
import type { ListPageOutcome, ListPagePoll } from '../../../webhook-receiver/src/watch/lists.ts';
import { STORES, type Opened } from './store-environment.ts';
import { pullOf, tracesOf } from './stores.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PACE = { delays: [{ age: 0, delay: MINUTE }], pollsPerMinute: 600 };
const [OLD, NEW] = ['a', 'b'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
const CREATED = { [OLD]: '2026-01-05T09:00:00.000Z', [NEW]: '2026-01-05T10:00:00.000Z' };

describe.each(STORES)('$name', (kind) => {
	let opened: Opened;
	let now: number;
	beforeEach(async () => {
		opened = await kind.open();
		now = Date.now();
	});
	afterEach(() => opened.end());

	const want = async (events: string[], key = 'n8n~a') => {
		const { consumers, watching } = opened.store;
		await consumers.take(pullOf(key, { wants: { events, batchSize: 1 } }), now);
		await watching.want(now);
	};
	const lease = async () => {
		const request = { now, most: 5, intervalMs: 0, leaseMs: MINUTE };
		return (await opened.store.watching.lease(request)).listPages;
	};
	const settle = (poll: ListPagePoll, entries: Array<[id: string, state: string]>) => {
		const listed = entries.map(([id, state]) =>
			readEntry({ id, state, email: 'a@example.org', createdAt: CREATED[id] }),
		);
		const answer: ListPageOutcome['answer'] = {
			kind: 'list-page',
			entries: listed.filter((one) => one !== null),
			total: entries.length,
			lastPage: 1,
		};
		return opened.store.watching.noteListPage({ ...poll, answer }, now, PACE);
	};
	/** Reads the list once, when it is due. */
	const read = async (...entries: Array<[id: string, state: string]>) => {
		now += HOUR;
		const [poll] = await lease();
		return settle(poll, entries);
	};
	const put = async (consentId: string, contact?: string) => {
		const wait = {
			instance: 'n8n',
			resumeUrl: 'http://127.0.0.1:9/',
			secret: 's'.repeat(40),
			consents: [{ consentId, contact }],
			trackedMailGoal: 'opened' as const,
			deadline: new Date(now + 30 * DAY).toISOString(),
		};
		await opened.store.watching.expect(wait.consents, now);
		await opened.store.waits.put('wait-0000-0000-0001', wait, now);
		await opened.store.watching.want(now);
	};
	const outcome = async () => {
		while (await opened.store.waits.gather(now));
		return (await opened.store.waits.get('wait-0000-0000-0001'))?.outcomes[0];
	};
	const listed = async () =>
		(await opened.store.watching.figures(now)).lists.map(({ name }) => name);

	it('an answer that comes late, after another receiver asked again, counts no more', async () => {
		await want(['consent.accepted']);
		await read([OLD, 'PENDING']);
		now += HOUR;
		const [slow] = await lease();
		now += 2 * MINUTE;
		const [quick] = await lease();
		expect(await settle(quick, [[OLD, 'ACCEPTED']])).toBe(1);
		expect(await settle(slow, [[OLD, 'PENDING']])).toBe(0);
		expect(await read([OLD, 'ACCEPTED'])).toBe(0);
		const events = await opened.store.log.slice({ limit: 10, before: null });
		expect(events).toMatchObject([{ type: 'consent.accepted', consentId: OLD }]);
	});

	it('of one that is erased nothing stays but its tombstone, and nothing comes later', async () => {
		await want(['consent.accepted', 'customer.accepted']);
		const pages = async (...entries: Array<[id: string, state: string]>) => {
			now += HOUR;
			// Both lists may have the same ids.
			for (const poll of await lease()) await settle(poll, entries);
		};
		await pages([OLD, 'PENDING'], [NEW, 'PENDING']);
		await pages([OLD, 'ACCEPTED'], [NEW, 'ACCEPTED']);
		await put(OLD);
		const { consumers, log, waits } = opened.store;
		await consumers.take(pullOf('n8n~a', { atOnce: 2 }), now);
		const all = async () => {
			const events = await log.slice({ limit: 10, before: null });
			return events
				.map(({ consentId, customerId }) => consentId ?? `customer ${customerId}`)
				.sort();
		};
		expect(await all()).toEqual([OLD, NEW, `customer ${OLD}`, `customer ${NEW}`]);
		expect(await opened.store.erase({ consentId: OLD }, now + 366 * DAY)).toEqual([OLD]);
		expect(await outcome()).toMatchObject({ id: OLD, outcome: 'erased' });
		await pages([OLD, 'REFUSED'], [NEW, 'ACCEPTED']);
		await pages([OLD, 'ACCEPTED'], [NEW, 'ACCEPTED']);
		const left = [NEW, `customer ${OLD}`, `customer ${NEW}`];
		expect((await all()).filter((one, index, them) => one !== them[index - 1])).toEqual(left);
		await expect(put(OLD)).rejects.toMatchObject({ status: 410 });
		await waits.remove('wait-0000-0000-0001');
		for (const customerId of [OLD, NEW]) await opened.store.erase({ customerId }, now + 366 * DAY);
		await opened.store.erase({ consentId: NEW }, now + 366 * DAY);
		expect(await tracesOf(opened.store, 'a@example.org')).toEqual([]);
		expect(await tracesOf(opened.store, OLD)).toEqual([]);
	});

	it('what was not asked for after all falls due at once', async () => {
		await want(['consent.accepted']);
		const [poll] = await lease();
		expect(await lease()).toEqual([]);
		await opened.store.watching.noteListPage({ ...poll, answer: null }, now, PACE);
		expect(await lease()).toEqual([poll]);
	});

	it('[CONS-07] an answer to an older consent is none to a newer', async () => {
		await want(['consent.accepted']);
		await read([OLD, 'ACCEPTED']);
		await read([NEW, 'PENDING']);
		await put(NEW);
		expect(await outcome()).toMatchObject({ id: NEW, outcome: 'none', status: 'PENDING' });
		await read([NEW, 'REFUSED']);
		expect(await outcome()).toMatchObject({ id: NEW, outcome: 'refused' });
	});

	it('[CONS-07] one that took the place of a consent before it was listed answers for it', async () => {
		const OLDER = '00000000-0000-4000-8000-000000000009';
		const { contact } = readEntry({ id: NEW, state: 'PENDING', email: 'A@example.org' }) ?? {};
		await want(['consent.accepted']);
		await read([OLDER, 'REFUSED']);
		await put(OLD, contact);
		await read([NEW, 'PENDING']);
		expect(await outcome()).toMatchObject({ id: OLD, outcome: 'none' });
		await read([NEW, 'ACCEPTED']);
		expect(await outcome()).toMatchObject({ id: OLD, outcome: 'accepted' });
	});

	it('what is final for a wait stays so, whatever becomes of the list', async () => {
		await want(['consent.accepted']);
		await put(OLD);
		await read([OLD, 'ACCEPTED']);
		expect(await outcome()).toMatchObject({ outcome: 'accepted' });
		await read([OLD, 'REFUSED']);
		await opened.store.consumers.remove('n8n~a', now);
		expect(await outcome()).toMatchObject({ outcome: 'accepted' });
	});

	it('is kept as long as somebody wants it, over a restart, and not longer', async () => {
		await want(['consent.accepted', 'customer.revoked']);
		expect(await listed()).toEqual(['consents', 'customers'] satisfies ListName[]);
		opened = await opened.reopen();
		await put(OLD);
		await opened.store.consumers.remove('n8n~a', now);
		now += HOUR;
		expect(await lease()).toMatchObject([{ list: 'consents' }]);
		expect(await listed()).toEqual(['consents']);
		await opened.store.waits.remove('wait-0000-0000-0001');
		now += HOUR;
		expect(await lease()).toEqual([]);
		expect(await listed()).toEqual([]);
	});

	it('one that is listed no more is forgotten after a month, but not while an execution waits for it', async () => {
		await want(['consent.accepted']);
		await read([OLD, 'PENDING'], [NEW, 'ACCEPTED']);
		await put(OLD);
		now += 40 * DAY;
		await read();
		// What is forgotten, and was there before the watching began, is no news.
		expect(await read([OLD, 'ACCEPTED'])).toBe(1);
		expect(await read([NEW, 'REFUSED'])).toBe(0);
	});
});
