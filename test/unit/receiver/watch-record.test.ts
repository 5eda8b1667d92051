// What is kept of a watched message, what a repeated request adds to it, and what is shown of it.
import {
	newWatch,
	renewedWatch,
	toStoredWatch,
} from '../../../webhook-receiver/src/watch/watch.ts';
import type { WatchRecord } from '../../../webhook-receiver/src/watch/watch.ts';

const ID = '000000000123';
const NOW = Date.UTC(2026, 0, 31, 9, 30);
const iso = (time: number) => new Date(time).toISOString();

it('begins with nothing but what the request says', () => {
	const unknown = { messageType: null, fileReference: null, customerReference: null };
	const nothing = {
		...{ messageId: ID, status: null, either: null, changedAt: null, createdAt: NOW },
		...{
			polledAt: null,
			polledStatus: null,
			otherPolledAt: null,
			messageTime: null,
			failures: 0,
			notFound: null,
		},
		...{ problem: null, endReason: null, changes: [] },
	};
	expect(newWatch(ID, {}, NOW)).toEqual({ ...nothing, ...unknown });
	const told = { messageType: 'LRE', fileReference: 'F', customerReference: 'C' } as const;
	expect(newWatch(ID, told, NOW)).toEqual({ ...nothing, ...told });
});

describe('a repeated request', () => {
	const before: WatchRecord = {
		...newWatch(ID, { messageType: 'LS', fileReference: 'F' }, NOW - 1000),
		...{ status: 'SENT', failures: 3, notFound: { since: 1, times: 2 }, problem: 'p' },
	};
	const asked = newWatch(ID, { messageType: 'LRE', customerReference: 'C' }, NOW);
	const added = { messageType: 'LRE', fileReference: 'F', customerReference: 'C' };

	it.each([null, 'final'] as const)('adds to what is known where the end is %s', (endReason) => {
		expect(renewedWatch({ ...before, endReason }, asked, NOW)).toEqual({
			...{ ...before, ...added, endReason },
		});
	});

	it.each(['limit', 'removed', 'message-not-found'] as const)('starts again after %s', (end) => {
		expect(renewedWatch({ ...before, endReason: end }, asked, NOW)).toEqual({
			...{ ...before, ...added, endReason: null, createdAt: NOW },
			...{ failures: 0, notFound: null, problem: null },
		});
	});

	it('takes nothing away', () => {
		const whole = { ...before, ...added } as WatchRecord;
		expect(renewedWatch(whole, newWatch(ID, {}, NOW), NOW)).toEqual(whole);
	});
});

it('is shown with its times as texts, and without what only the receiver needs', () => {
	const watch: WatchRecord = {
		...newWatch(ID, { messageType: 'LRE', fileReference: 'F', customerReference: 'C' }, NOW),
		...{ status: 'SENT', changedAt: NOW + 1, polledAt: NOW + 2, problem: 'p', endReason: 'limit' },
	};
	expect(toStoredWatch(watch, { nextPollAt: NOW + 3, endedAt: NOW + 4 })).toEqual({
		...{ messageId: ID, messageType: 'LRE', fileReference: 'F', customerReference: 'C' },
		...{ status: 'SENT', changedAt: iso(NOW + 1), createdAt: iso(NOW), polledAt: iso(NOW + 2) },
		...{ nextPollAt: iso(NOW + 3), problem: 'p', endedAt: iso(NOW + 4), endReason: 'limit' },
	});
	expect(toStoredWatch(newWatch(ID, {}, NOW), { nextPollAt: null, endedAt: null })).toMatchObject({
		...{ changedAt: null, polledAt: null, nextPollAt: null, endedAt: null },
	});
});
