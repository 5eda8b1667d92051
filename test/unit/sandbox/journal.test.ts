import fc from 'fast-check';
import { BodyTap } from '../../../sandbox/src/journal/body-tap.ts';
import { EventLog } from '../../../sandbox/src/journal/event-log.ts';
import { isRequest, type RequestFilter } from '../../../sandbox/src/journal/filters.ts';
import { IdScan } from '../../../sandbox/src/journal/id-scan.ts';
import { Journal, numbers } from '../../../sandbox/src/journal/journal.ts';
import { pageOf } from '../../../sandbox/src/journal/page-of.ts';
import type { RequestEntry } from '../../../sandbox/src/journal/request-entry.ts';

it('keeps the newest within both bounds, and each under its number', () => {
	const weights = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 });
	fc.assert(
		fc.property(weights, (sizes) => {
			const kept = new Journal({ entries: 10, weight: 50 }, ({ size }: Sized) => size);
			sizes.forEach((size) => kept.add({ size }));
			const all = kept.all();
			expect(all.map(({ id }) => id)).toEqual(
				Array.from(all, (_, index) => sizes.length - all.length + index + 1),
			);
			for (const entry of all) expect(kept.get(entry.id)).toBe(entry);
			expect(kept.get(kept.first - 1)).toBeUndefined();
			expect(all.length).toBeLessThanOrEqual(10);
			const weight = all.reduce((sum, { size }) => sum + size, 0);
			if (all.length > 1) expect(weight).toBeLessThanOrEqual(50);
			// None is dropped without need.
			const next = sizes.at(-all.length - 1);
			if (next !== undefined) expect(all.length === 10 || weight + next > 50).toBe(true);
		}),
	);
});

interface Sized {
	id: number;
	size: number;
}

it('journals that share their numbers have each in the order of all', () => {
	const next = numbers();
	const [one, other] = [1, 2].map(
		() => new Journal<Sized>({ entries: 2, weight: 9 }, () => 1, next),
	);
	for (const kept of [one, other, other, one, one]) kept!.add({ size: 1 });
	expect([one, other].map((kept) => kept!.all().map(({ id }) => id))).toEqual([
		[4, 5],
		[2, 3],
	]);
	expect([one!.first, one!.last, one!.get(3), one!.get(4)?.id]).toEqual([4, 5, undefined, 4]);
});

it('gives every match once, page by page, newest first', () => {
	const cases = fc.tuple(fc.array(fc.boolean(), { maxLength: 40 }), fc.integer({ min: 1, max: 7 }));
	fc.assert(
		fc.property(cases, ([matching, limit]) => {
			const all = matching.map((isMatch, id) => ({ isMatch, id }));
			const seen: number[] = [];
			let before: string | undefined;
			do {
				const page = pageOf(all, ({ isMatch }) => isMatch, { limit, before });
				expect(page.total).toBe(matching.filter(Boolean).length);
				seen.push(...page.found.map(({ id }) => id));
				before = page.next ?? undefined;
			} while (before !== undefined);
			expect(seen).toEqual(all.flatMap(({ isMatch, id }) => (isMatch ? [id] : [])).reverse());
			// Behind an entry that is gone there is nothing older.
			expect(pageOf(all, () => true, { limit, before: '99' }).found).toEqual([]);
		}),
	);
});

const ENTRY: RequestEntry = {
	id: 1,
	at: '2026-01-31T09:30:00.000Z',
	method: 'POST',
	path: '/messages/000000000123',
	url: '/messages/000000000123?a=b',
	account: 'direct',
	token: 'valid',
	clientCertificate: false,
	status: 422,
	answered: true,
	fault: null,
	duration: 1,
	messageIds: ['000000000123'],
	headers: { 'user-agent': 'n8n' },
	body: {
		size: 9,
		text: null,
		truncated: false,
		fields: [{ name: 'type', value: 'LRE' }],
		files: [{ field: 'f', name: 'Contract.pdf', contentType: null, size: 1, sha256: null }],
	},
	answer: {
		headers: {},
		body: { size: 9, text: '{"code":"E_X"}', truncated: false, fields: [], files: [] },
	},
};

it.each<[RequestFilter, boolean]>([
	[{}, true],
	[{ path: '/messages/{id}' }, true],
	[{ path: '/messages/*' }, true],
	[{ path: '/messages' }, false],
	[{ method: 'post' }, true],
	[{ method: 'GET' }, false],
	[{ status: '422' }, true],
	[{ status: '4XX' }, true],
	[{ status: '5xx' }, false],
	[{ status: 'none' }, false],
	[{ account: 'direct' }, true],
	[{ account: 'reseller' }, false],
	[{ since: '2026-01-31T10:30:00+01:00' }, true],
	[{ since: '2026-01-31T09:30:00.001Z' }, false],
	[{ messageId: '000000000123' }, true],
	[{ messageId: '000000000124' }, false],
	[{ text: 'e_x' }, true],
	[{ text: 'contract.PDF' }, true],
	[{ text: 'type=lre' }, true],
	[{ text: 'user-agent: n8n' }, true],
	[{ text: 'a=b' }, true],
	[{ text: 'nothing' }, false],
	[{ method: 'POST', status: '200' }, false],
])('a request and the filter %j: %s', (filter, expected) => {
	expect(isRequest(filter)(ENTRY)).toBe(expected);
});

it('finds ids of messages wherever a text is cut, and no part of a longer number', () => {
	const word = fc.oneof(
		fc.stringMatching(/^\d{12}$/),
		fc.stringMatching(/^\d{11,14}$/),
		fc.constant('id'),
	);
	const cases = fc.tuple(fc.array(word), fc.integer({ min: 1, max: 15 }));
	fc.assert(
		fc.property(cases, ([words, step]) => {
			const text = words.join(',');
			const scan = new IdScan();
			for (let at = 0; at < text.length; at += step) scan.add(text.slice(at, at + step));
			const ids = words.filter((one) => /^\d{12}$/.test(one));
			expect(scan.found(() => true)).toEqual([...new Set(ids)]);
		}),
	);
});

it.each([
	['text/html', 'text'],
	['application/problem+json; charset=utf-8', 'text'],
	['', 'text'],
	['application/pdf', 'file'],
	['multipart/form-data; boundary=x', 'form'],
])('a body of the type "%s" is kept as %s', (contentType, kind) => {
	const headers = { contentType, contentEncoding: null, fileName: 'a.pdf' };
	const tap = new BodyTap(
		() => headers,
		() => [],
	);
	expect(tap.result([])).toBeNull();
	tap.add(Buffer.from('some'));
	const { text, files, size } = tap.result([]) ?? {};
	expect([text, files?.length, size]).toEqual([
		kind === 'text' ? 'some' : null,
		kind === 'file' ? 1 : 0,
		4,
	]);
});

it('a compressed body is no text', () => {
	const tap = new BodyTap(
		() => ({ contentType: 'text/plain', contentEncoding: 'gzip', fileName: null }),
		() => [],
	);
	tap.add(Buffer.from([31, 139]));
	expect(tap.result([])).toMatchObject({ text: null, files: [{ size: 2 }] });
});

describe('events', () => {
	const change = { kind: 'change', data: {} } as const;
	const take = async (log: EventLog, lastId: string | null, count: number) => {
		const stop = new AbortController();
		const taken: string[] = [];
		for await (const { id, event } of log.follow(lastId, stop.signal)) {
			taken.push(`${event} ${id}`);
			if (taken.length === count) stop.abort();
		}
		return taken;
	};

	it.each(['r-1', 's-9', 'nonsense', 's-'])(
		'after "%s", which never was, some are missed',
		async (lastId) => {
			const log = new EventLog('s');
			log.publish(change);
			expect(await take(log, lastId, 2)).toEqual(['missed s-0', 'change s-1']);
		},
	);

	it('say what a listener missed who fell behind', async () => {
		const log = new EventLog('s');
		for (let count = 0; count < 1500; count++) log.publish(change);
		expect(await take(log, 's-3', 2)).toEqual(['missed s-500', 'change s-501']);
	});
});
