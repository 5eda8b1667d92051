import { setTimeout as sleep } from 'node:timers/promises';

import { forEachBounded } from '../../../nodes/shared/items/concurrency.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

it.each([
	[1, 1],
	[3, 3],
	[50, 9],
])('at most %d at a time, in order', async (limit, most) => {
	const started: number[] = [];
	let underWay = 0;
	let seen = 0;
	await forEachBounded(numbers(9), limit, async (at) => {
		started.push(at);
		seen = Math.max(seen, ++underWay);
		await sleep(10 - at);
		underWay--;
	});
	expect(started).toEqual(numbers(9));
	expect({ seen, underWay }).toEqual({ seen: most, underWay: 0 });
});

it('asks for an entry when there is room for it', async () => {
	let asked = 0;
	const list = (async function* () {
		for (;;) yield asked++;
	})();
	const working = forEachBounded(list, 3, async (at) => {
		if (at === 5) throw new Error('the sixth');
		await sleep(at < 3 ? 5 : 50);
	});
	await sleep(1);
	expect(asked).toBe(3);
	await expect(working).rejects.toThrow('the sixth');
	expect(asked).toBe(6);
});

it('starts no more once one fails, lets the others finish, and throws the first failure', async () => {
	const ended: number[] = [];
	const working = forEachBounded(numbers(100), 3, async (at) => {
		await sleep(at === 1 ? 1 : 20);
		if (at < 2) throw new Error(`number ${at}`);
		ended.push(at);
	});
	await expect(working).rejects.toThrow('number 1');
	expect(ended).toEqual([2]);
});

it('a list that fails while it is made ends after those under way', async () => {
	const ended: number[] = [];
	const list = (async function* () {
		yield 1;
		throw new Error('no more');
	})();
	const working = forEachBounded(list, 3, async (at) => {
		await sleep(5);
		ended.push(at);
	});
	await expect(working).rejects.toThrow('no more');
	expect(ended).toEqual([1]);
});

it('takes no longer for an entry however many may go at a time', async () => {
	const since = performance.now();
	await forEachBounded(numbers(20_000), 20_000, async () => await Promise.resolve());
	expect(performance.now() - since).toBeLessThan(2_000);
});
