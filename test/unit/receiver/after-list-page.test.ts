// What one page of a list decides: what is news, what is read next and when, what is forgotten.
import type { ListedEntry } from '../../../webhook-receiver/src/core/list-entry.ts';
import type { ListedRecord } from '../../../webhook-receiver/src/core/listed.ts';
import { afterListPage } from '../../../webhook-receiver/src/watch/after-list-page.ts';
import { newListWatch } from '../../../webhook-receiver/src/watch/list-watch.ts';
import type { ListWatch } from '../../../webhook-receiver/src/watch/list-watch.ts';
import type { ListPageAnswer } from '../../../webhook-receiver/src/watch/answers.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 31, 9, 30);
const ASKED = NOW - 100;
const PACE = { delays: [{ age: 0, delay: MINUTE }], pollsPerMinute: 600 };
const NEW = newListWatch(NOW - DAY);
/** A watch that has read the whole list before. */
const READ: ListWatch = {
	...NEW,
	startedAt: NOW - MINUTE,
	readAt: NOW - MINUTE,
	pages: 1,
	total: 1,
	newestAt: NOW - DAY,
};

const listed = (more: Partial<ListedEntry> = {}): ListedEntry => ({
	id: 'a',
	state: 'ACCEPTED',
	contact: 'ann',
	createdAt: NOW,
	raw: { id: 'A' },
	...more,
});
const PENDING = { type: null, step: 'PENDING', at: NOW - DAY, by: 'poll' as const, mark: null };
const known = (more: Partial<ListedRecord> = {}): ListedRecord => ({
	contact: 'ann',
	changes: [{ ...PENDING, eventId: null }],
	seenAt: NOW - MINUTE,
	...more,
});
const page = (entries: ListedEntry[], lastPage = 1, total = entries.length): ListPageAnswer => ({
	kind: 'list-page',
	entries,
	lastPage,
	total,
});

function after(
	answer: ListPageAnswer,
	watch: ListWatch = READ,
	record?: ListedRecord,
	list: 'consents' | 'customers' = 'consents',
) {
	const present = { watch, known: () => record ?? null };
	return afterListPage(list, present, { answer, askedAt: ASKED }, NOW, PACE, () => 'evt');
}

describe('[CONS-07] an entry', () => {
	it('that has changed makes one event, of the change and without a time of its own', () => {
		const { records, events, watch } = after(page([listed()]), READ, known());
		const change = { ...PENDING, type: 'consent.accepted', step: 'ACCEPTED', at: NOW };
		const changes = [...known().changes, { ...change, eventId: 'evt' }];
		expect([...records]).toEqual([['a', { contact: 'ann', changes, seenAt: NOW }]]);
		expect(events).toEqual([
			{
				id: 'evt',
				type: 'consent.accepted',
				status: 'ACCEPTED',
				terminal: true,
				reversible: false,
				sourceType: 'status',
				messageId: null,
				messageType: null,
				consentId: 'a',
				occurredAt: null,
				receivedAt: new Date(NOW).toISOString(),
				raw: { id: 'A' },
				fileReference: null,
				customerReference: null,
			},
		]);
		expect(watch.changedAt).toBe(NOW);
	});

	it('of a customer is named as one', () => {
		const { events } = after(page([listed({ state: 'REVOKED' })]), READ, known(), 'customers');
		expect(events).toMatchObject([{ type: 'customer.revoked', customerId: 'a' }]);
		expect(events[0]).not.toHaveProperty('consentId');
	});

	it('that is as before is not even stored, for a day', () => {
		const same = (seenAt: number) =>
			after(page([listed({ state: 'pending' })]), READ, known({ seenAt }));
		expect(same(NOW - MINUTE).watch.changedAt).toBeNull();
		// Also where the clock was set back.
		for (const seenAt of [NOW - MINUTE, NOW - DAY + 1, NOW + DAY - 1]) {
			expect(same(seenAt).records.size).toBe(0);
		}
		for (const seenAt of [NOW - DAY, NOW + DAY]) {
			expect([...same(seenAt).records]).toEqual([['a', known({ seenAt: NOW })]]);
			expect(same(seenAt).events).toEqual([]);
		}
	});

	it('of another contact by now is stored', () => {
		const { records, events } = after(
			page([listed({ state: 'PENDING', contact: 'bob' })]),
			READ,
			known(),
		);
		expect([...records]).toEqual([['a', known({ contact: 'bob', seenAt: NOW })]]);
		expect(events).toEqual([]);
	});

	it('counts once where a page names it twice, by the last of them', () => {
		const { events } = after(page([listed({ state: 'REFUSED' }), listed()]), READ, known());
		expect(events.map(({ type }) => type)).toEqual(['consent.accepted']);
	});

	it.each<[string, ListWatch, Partial<ListedEntry>, boolean]>([
		['at the first look is old', NEW, {}, false],
		['later, newer than any of the first look, is new', READ, {}, true],
		['as old as the newest of the first look was missed', READ, { createdAt: NOW - DAY }, false],
		['of unknown age is new', READ, { createdAt: null }, true],
		['where no age was known is new', { ...READ, newestAt: null }, { createdAt: 1 }, true],
	])('that is seen for the first time %s', (_, watch, more, isAdded) => {
		const { records, events } = after(page([listed(more)]), watch);
		const eventId = isAdded ? 'evt' : null;
		expect(records.get('a')?.changes).toMatchObject([{ type: 'consent.accepted', eventId }]);
		expect(events).toHaveLength(isAdded ? 1 : 0);
	});

	it('that nobody has answered makes no event, though it is new', () => {
		const { records, events, watch } = after(page([listed({ state: 'PENDING' })]));
		expect(records.get('a')?.changes).toMatchObject([{ type: null, step: 'PENDING' }]);
		expect(events).toEqual([]);
		expect(watch.changedAt).toBeNull();
	});
});

describe('the first look', () => {
	it('remembers the newest entry, over all of its pages', () => {
		const first = after(
			page([listed({ createdAt: 5 }), listed({ id: 'b', createdAt: 7 })], 2),
			NEW,
		);
		expect(first.watch.newestAt).toBe(7);
		const second = after(
			page([listed({ createdAt: 6 }), listed({ createdAt: null })], 2),
			first.watch,
		);
		expect(second.watch.newestAt).toBe(7);
		expect(after(page([listed({ createdAt: 9 })], 2), first.watch).watch.newestAt).toBe(9);
		expect(after(page([listed({ createdAt: null })]), NEW).watch.newestAt).toBeNull();
		// From then on it stays.
		expect(after(page([listed({ createdAt: NOW })])).watch.newestAt).toBe(NOW - DAY);
	});

	it('is over with the last page, unless the list has shrunk meanwhile: then it is read again', () => {
		const one = after(page([listed()], 2, 4), NEW).watch;
		expect(one).toMatchObject({ page: 2, readAt: null, total: 4, startedAt: ASKED, shrank: false });
		const over = after(page([listed()], 2, 4), one);
		expect(over.watch).toMatchObject({ page: 1, pages: 2, readAt: NOW, shrank: false });
		expect(over.nextPollAt).toBeGreaterThan(NOW);
		const again = after(page([listed()], 2, 3), one);
		expect(again.watch).toMatchObject({ page: 1, pages: 2, readAt: null, shrank: true });
		expect(again.nextPollAt).toBe(NOW);
		// A page before that shrank counts too, until the next reading begins.
		const three = { ...one, shrank: true };
		expect(after(page([listed()], 2, 9), three).watch.readAt).toBeNull();
		expect(after(page([listed()], 1, 9), { ...three, page: 1 }).watch.shrank).toBe(false);
		// Later readings do not mind.
		const later = after(page([listed()], 2, 3), { ...READ, page: 2, total: 4 });
		expect(later.watch.readAt).toBe(NOW);
	});
});

describe('what is read next', () => {
	it('the next page, at once', () => {
		const { watch, nextPollAt, readFrom } = after(page([listed()], 2), {
			...READ,
			failures: 2,
			problem: 'it was away',
		});
		expect(watch).toMatchObject({ page: 2, pages: 1, failures: 0, problem: null });
		expect([nextPollAt, readFrom]).toEqual([NOW, null]);
	});

	it('the first one, after a rest; then it is known what it has', () => {
		const { watch, nextPollAt, readFrom } = after(page([listed()], 2), { ...READ, page: 2 });
		expect(watch).toMatchObject({ page: 1, pages: 2, readAt: NOW });
		expect(nextPollAt - NOW).toBeGreaterThanOrEqual(0.8 * MINUTE);
		expect(nextPollAt - NOW).toBeLessThanOrEqual(1.2 * MINUTE);
		expect(readFrom).toBe(READ.startedAt);
		expect(after(page([listed()])).readFrom).toBe(ASKED);
	});

	it.each<[string, number, boolean]>([
		['while it was read', NOW - 1, true],
		['at this moment', NOW, true],
		['when the reading began', ASKED, false],
		['before', ASKED - 1, false],
		['by a clock that was set back', NOW + 1, false],
	])('the first one at once, if somebody came to want the list %s', (_, wantedAt, isAgain) => {
		const { nextPollAt } = after(page([listed()]), { ...READ, wantedAt });
		expect(nextPollAt === NOW).toBe(isAgain);
	});
});

describe('a page that cannot be read', () => {
	const failed: ListPageAnswer = { kind: 'failed', problem: 'it answered 500' };

	it('is tried again, then less and less often; after three times reading starts over', () => {
		let watch: ListWatch = { ...READ, page: 4 };
		const tries = [1, 2, 3, 4].map(() => {
			const next = after(failed, watch);
			({ watch } = next);
			expect(next).toMatchObject({ events: [], readFrom: null });
			expect(watch).toMatchObject({ problem: 'it answered 500', readAt: READ.readAt });
			const middle = 30_000 * 2 ** (watch.failures - 1);
			expect(Math.abs(next.nextPollAt - NOW - middle)).toBeLessThanOrEqual(0.2 * middle);
			return [watch.failures, watch.page];
		});
		expect(tries).toEqual([
			[1, 4],
			[2, 4],
			[3, 1],
			[4, 1],
		]);
	});

	it.each(['refused', 'busy'] as const)('since polls are %s stays due', (kind) => {
		const answer = { kind, problem: 'it answered 401', retryAfterMs: null } as ListPageAnswer;
		expect(after(answer)).toMatchObject({
			watch: { ...READ, problem: 'it answered 401' },
			nextPollAt: NOW,
			events: [],
			readFrom: null,
		});
	});

	it('of a list that the account does not have is tried ten minutes later', () => {
		const refused: ListPageAnswer = { kind: 'resellers-only', problem: 'it answered 403' };
		const { nextPollAt } = after(refused);
		expect(nextPollAt - NOW).toBeGreaterThanOrEqual(8 * MINUTE);
		expect(nextPollAt - NOW).toBeLessThanOrEqual(12 * MINUTE);
	});
});
