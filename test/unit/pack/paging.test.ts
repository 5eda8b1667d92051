// Lists, read from every kind of server: the right entries, or an error, and never without end.
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { readList, readPage } from '../../../nodes/shared/transport/paging.ts';

interface Query {
	page: number;
	perPage: number;
}

/** Reads a list from a server, which may at most be asked as often as a patient user would bear. */
async function read(serve: (query: Query, count: number) => unknown, limit: number | null = null) {
	let count = 0;
	const request = async (query: Query) => {
		count += 1;
		if (count > 2000) throw new Error('The reading does not end.');
		return serve(query, count);
	};
	try {
		const entries = await readList(limit, request);
		return { ids: entries.map(({ id }) => id), problem: null, count };
	} catch (error) {
		return { ids: null, problem: (error as Error).message, count };
	}
}

const people = (count: number, from = 0): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({ id: `c${from + index}` }));

/** An honest server, with pages of its own size. */
const page = (list: IDataObject[], { page: number }: Pick<Query, 'page'>, size: number) => ({
	data: list.slice((number - 1) * size, number * size),
	meta: {
		total: list.length,
		perPage: size,
		currentPage: number,
		lastPage: Math.max(1, Math.ceil(list.length / size)),
		firstPage: 1,
	},
});
const idsOf = (list: IDataObject[]) => list.map(({ id }) => id);

describe('[CUST-03][CONS-07][N] what was seen to go wrong', () => {
	const all = people(250);

	it('lastPage 1 with a total of 250, and no more to have, is an error', async () => {
		const { problem, count } = await read((query) => ({
			data: query.page === 1 ? all.slice(0, 100) : [],
			meta: { ...page(all, query, 100).meta, lastPage: 1 },
		}));
		expect(problem).toBe('The service reported 250 entries in the list, but returned 100.');
		expect(count).toBeLessThan(10);
	});

	it('currentPage echoed while page is ignored is an error', async () => {
		const { problem, count } = await read((query) => ({
			data: all.slice(0, 100),
			meta: page(all, query, 100).meta,
		}));
		expect(problem).toContain('Page 2 of the list returned nothing new');
		expect(count).toBe(2);
	});

	it('a list that always grows comes to an end', async () => {
		const { ids } = await read((query, count) => {
			const { data, meta } = page(people(100 * (count + 1)), query, 100);
			return { data, meta };
		});
		expect(ids).toEqual(idsOf(people(200)));
	});

	it('a list that shrinks all the time is given up', async () => {
		const { problem, count } = await read((query, asked) => page(all.slice(asked), query, 100));
		expect(problem).toContain('disappeared while it was read');
		expect(count).toBe(9);
	});

	it.each(['c1', 7])('an entry that comes again, changed, counts once: id %j', async (id) => {
		const data = [
			{ id, name: 'before' },
			{ id, name: 'after' },
		];
		const { meta } = page([{ id }], { page: 1 }, 2);
		expect(await readList(null, async () => ({ data, meta }))).toEqual([data[1]]);
	});

	it('entries without an id are told apart by their content', async () => {
		const list = Array.from({ length: 5 }, (_, index) => ({ email: `${index}@x.example` }));
		const entries = await readList(null, async (query) => page(list, query, 2));
		expect(entries).toEqual(list);
	});
});

const size = fc.integer({ min: 1, max: 130 });
const length = fc.integer({ min: 0, max: 400 });
const limits = fc.option(fc.integer({ min: 1, max: 450 }), { nil: null });

it('[CUST-03][CONS-07][N] an honest server with pages of any size: all of it, or up to the limit', async () => {
	await fc.assert(
		fc.asyncProperty(length, size, limits, async (entries, most, limit) => {
			const all = people(entries);
			const { ids, count } = await read(
				(query) => page(all, query, Math.min(most, query.perPage)),
				limit,
			);
			const wanted = Math.min(entries, limit ?? Infinity);
			expect(ids).toEqual(idsOf(all.slice(0, wanted)));
			const pageSize = Math.min(most, limit ?? 100, 100);
			expect(count).toBe(Math.max(1, Math.ceil(wanted / pageSize)));
		}),
		{ numRuns: 300 },
	);
});

it('[CUST-03][CONS-07][N] a list that changes at its top: every entry that stays, each once, or an error', async () => {
	const changes = fc.array(fc.record({ add: fc.nat(4), drop: fc.nat(4) }), { maxLength: 12 });
	await fc.assert(
		fc.asyncProperty(length, size, changes, async (entries, most, story) => {
			let list = people(entries);
			let nextId = 1000;
			const stays = new Set(idsOf(list));
			const { ids, problem, count } = await read((query, asked) => {
				const { add, drop } = story[asked - 2] ?? { add: 0, drop: 0 };
				// Either, since an entry that goes while another comes leaves no trace in what is answered.
				if (add > 0) list = [...people(add, nextId), ...list];
				else list = list.slice(drop);
				nextId += add;
				const now = new Set(idsOf(list));
				for (const id of stays) if (!now.has(id)) stays.delete(id);
				return page(list, query, Math.min(most, query.perPage));
			});
			expect(count).toBeLessThan(3 * (entries + 60));
			if (ids === null)
				return expect(problem).toMatch(
					/nothing new|disappeared while|but returned|is empty|grew faster/,
				);
			expect(new Set(ids).size).toBe(ids.length);
			expect([...stays].filter((id) => !ids.includes(id))).toEqual([]);
		}),
		{ numRuns: 300 },
	);
});

it('[CUST-03][CONS-07][N] a lying server: the whole list, or an error, never a part', async () => {
	const lie = fc.record({
		total: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined }),
		lastPage: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
		ignoresPage: fc.boolean(),
		echoes: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(length, size, lie, async (entries, most, { ignoresPage, echoes, ...meta }) => {
			const all = people(entries);
			const { ids, count } = await read((query) => {
				const honest = page(all, { page: ignoresPage ? 1 : query.page }, most);
				const currentPage = echoes ? query.page : honest.meta.currentPage;
				const told = Object.entries({ ...meta, currentPage }).filter(
					([, one]) => one !== undefined,
				);
				return { ...honest, meta: { ...honest.meta, ...Object.fromEntries(told) } };
			});
			expect(count).toBeLessThan(3 * (entries + 20));
			// Only both lies together, that are in accord, can make a part look whole.
			if (ids === null) return;
			const { total = entries, lastPage = Math.ceil(entries / most) } = meta;
			const looksWhole = total <= ids.length && lastPage <= Math.ceil(ids.length / most);
			if (!looksWhole) expect(ids).toEqual(idsOf(all));
		}),
		{ numRuns: 500 },
	);
});

it.each([
	[null],
	['<html>'],
	[[]],
	[{ data: [] }],
	[{ data: {}, meta: {} }],
	[{ data: [1], meta: { total: 1, lastPage: 1, currentPage: 1 } }],
])('[CUST-03][N] %j is no list', (answer) => {
	expect(() => readPage(answer, 1)).toThrow('{data, meta}');
});

it.each([
	[{ total: null, lastPage: 1 }],
	[{ total: 1, lastPage: null }],
	[{ total: 1.5, lastPage: 1 }],
	[{ total: -1, lastPage: 1 }],
])('[CUST-03][N] with %j it does not say where it ends', (meta) => {
	const answer = { data: [], meta: { currentPage: 1, ...meta } };
	expect(() => readPage(answer, 1)).toThrow('how many pages');
});
