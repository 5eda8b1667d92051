// Over HTTP, on both stores: what pages of the service's lists leave behind.
import { KEY, cleanUp, until, waitForConsents } from './harness.ts';
import { Restartable } from './restartable.ts';
import { STORES } from './store-environment.ts';
import { pollService } from './watching/service.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WAIT = 'wait-0000-0000-0001';
const [OLD, NEW] = ['a', 'b'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
const CREATED = { [OLD]: '2026-01-05T09:00:00.000Z', [NEW]: '2026-01-05T10:00:00.000Z' };

describe.each(STORES)('$name', (kind) => {
	const watching = async () => {
		const service = await pollService();
		const more = { WATCH_RATE_LIMIT: '60000', WATCH_DELAYS: '0s:1m', RETENTION: '365d' };
		const place = await Restartable.on(kind, service.env(more));
		const { clock } = place;
		const want = (events: string[]) => place.receiver.pulled({ wants: { events } });
		/** Lets so much time pass, and what is due by then be asked for and stored. */
		const pass = async (milliseconds: number) => {
			clock.advance(milliseconds);
			for (let asked = -1; asked !== service.pages.length; ) {
				asked = service.pages.length;
				clock.advance(50);
				await place.receiver.atRest();
			}
		};
		/** Puts these on the lists. */
		const list = (...entries: Array<[id: string, state: string]>) => {
			const listed = entries.map(([id, state]) => {
				return { id, state, email: 'a@example.org', createdAt: CREATED[id] };
			});
			Object.assign(service.lists, { consents: listed, customers: structuredClone(listed) });
		};
		/** And lets them be read: a reading under way has what was there before. */
		const read = async (...entries: Parameters<typeof list>) => {
			await place.receiver.atRest();
			list(...entries);
			await pass(HOUR);
		};
		const put = (consentId: string) =>
			place.receiver.manage('PUT', `/waits/${WAIT}`, waitForConsents(clock, [consentId], 80 * DAY));
		const outcome = async () => {
			await place.receiver.atRest();
			const { body } = await place.receiver.manage('GET', `/waits/${WAIT}`);
			return (body.outcomes as object[])[0];
		};
		const events = async () =>
			(await place.receiver.events())
				.reverse()
				.filter(({ type }) => type !== 'receiver.attention')
				.map(({ type, consentId, customerId }) => `${type} ${consentId ?? customerId}`);
		return { service, place, want, pass, list, read, put, outcome, events };
	};

	it('of one that is erased nothing stays but its tombstone, and nothing comes later', async () => {
		const { place, want, read, put, outcome, events } = await watching();
		const { manage } = place.receiver;
		const wanted = ['consent.accepted', 'customer.accepted'];
		await want(wanted);
		await read([OLD, 'PENDING'], [NEW, 'PENDING']);
		await read([OLD, 'ACCEPTED'], [NEW, 'ACCEPTED']);
		// Now n8n has them in hand, too.
		await want(wanted);
		await put(OLD);
		const left = [`consent.accepted ${NEW}`, ...[OLD, NEW].map((id) => `customer.accepted ${id}`)];
		expect((await events()).sort()).toEqual([`consent.accepted ${OLD}`, ...left].sort());
		await manage('DELETE', `/consents/${OLD}`);
		await until(async () => 'outcome' in (await outcome()), 'its outcome is known');
		expect(await outcome()).toMatchObject({ id: OLD, outcome: 'erased' });
		await read([OLD, 'REFUSED'], [NEW, 'ACCEPTED']);
		await read([OLD, 'ACCEPTED'], [NEW, 'ACCEPTED']);
		expect((await events()).filter((one) => one.includes(`consent.accepted ${OLD}`))).toEqual([]);
		expect(await events()).toEqual(expect.arrayContaining(left));
		expect((await put(OLD)).status).toBe(410);
		await manage('DELETE', `/waits/${WAIT}`);
		for (const id of [OLD, NEW]) await manage('DELETE', `/customers/${id}`);
		await manage('DELETE', `/consents/${NEW}`);
		await read([OLD, 'REFUSED'], [NEW, 'REFUSED']);
		const rows = await place.rows();
		expect(rows.filter((row) => row.includes('a@example.org'))).toEqual([]);
		// The tombstones of both lists.
		expect(rows.filter((row) => row.includes(OLD))).toHaveLength(2);
	});

	it('[CONS-07] an answer to an older consent is none to a newer', async () => {
		const { want, read, put, outcome } = await watching();
		await want(['consent.accepted']);
		await read([OLD, 'ACCEPTED']);
		await read([NEW, 'PENDING']);
		await put(NEW);
		expect(await outcome()).toMatchObject({ id: NEW, outcome: 'none', status: 'PENDING' });
		await read([NEW, 'REFUSED']);
		expect(await outcome()).toMatchObject({ id: NEW, outcome: 'refused' });
	});

	it('[CONS-07] what answers for an older consent wakes who waits for that one', async () => {
		const { place, want, read, put } = await watching();
		await want(['consent.accepted']);
		await read([OLD, 'PENDING']);
		await put(OLD);
		await read([NEW, 'ACCEPTED']);
		const { body } = await place.receiver.manage('GET', `/waits/${WAIT}`);
		expect(body).toMatchObject({ state: 'queued', outcomes: [{ id: OLD, outcome: 'accepted' }] });
	});

	it('what is final for a wait stays so, whatever becomes of the list', async () => {
		const { place, want, read, put, outcome } = await watching();
		await want(['consent.accepted']);
		await put(OLD);
		await read([OLD, 'ACCEPTED']);
		expect(await outcome()).toMatchObject({ outcome: 'accepted' });
		await read([OLD, 'REFUSED']);
		await place.receiver.manage('DELETE', `/consumers/${KEY}`);
		expect(await outcome()).toMatchObject({ outcome: 'accepted' });
	});

	it('a list is read as long as somebody wants it, over a restart, and not longer', async () => {
		const { service, place, want, pass, put } = await watching();
		const asked = async () => {
			const before = service.pages.length;
			await pass(HOUR);
			return [...new Set(service.pages.slice(before).map((path) => path.split('?')[0]))].sort();
		};
		await want(['consent.accepted', 'customer.revoked']);
		expect(await asked()).toEqual(['/consents', '/customers']);
		await place.restart();
		await put(OLD);
		await place.receiver.manage('DELETE', `/consumers/${KEY}`);
		await pass(MINUTE);
		expect(await asked()).toEqual(['/consents']);
		await place.receiver.manage('DELETE', `/waits/${WAIT}`);
		await pass(MINUTE);
		expect(await asked()).toEqual([]);
	});

	it('one that is listed no more is forgotten after a month, but not while an execution waits for it', async () => {
		const { place, want, pass, list, read, put, events } = await watching();
		list([OLD, 'PENDING'], [NEW, 'ACCEPTED']);
		await want(['consent.accepted']);
		await pass(HOUR);
		await put(OLD);
		await pass(2 * DAY);
		await read([OLD, 'PENDING']);
		await read();
		await pass(40 * DAY);
		await place.receiver.pulled({ wants: { events: ['consent.accepted'] } });
		await read();
		// What is forgotten, and was there before the watching began, is no news.
		await read([OLD, 'ACCEPTED'], [NEW, 'REFUSED']);
		expect(await events()).toEqual([`consent.accepted ${OLD}`]);
	});
});
