import { Batcher } from '../../../webhook-receiver/src/store/batcher.ts';
import { StoreUnavailable } from '../../../webhook-receiver/src/store/engine.ts';

/** One of PostgreSQL's errors, by its SQLSTATE; '' for a connection that went silent. */
const failure = (code: string) => new StoreUnavailable(Object.assign(new Error(code), { code }));

const MOST = 10;

/** Takes numbers; `fail` decides over each batch. */
function batcher(fail: (batch: number[], run: number) => Error | null) {
	const batches: number[][] = [];
	const one = new Batcher<number, string>(async (batch) => {
		batches.push(batch);
		await new Promise((resolve) => setImmediate(resolve));
		const error = fail(batch, batches.length);
		if (error !== null) throw error;
		return batch.map((number) => `stored ${number}`);
	}, MOST);
	const add = async (count: number) => {
		const answers = await Promise.allSettled(Array.from({ length: count }, (_, n) => one.add(n)));
		return answers.map(({ status }) => status);
	};
	return { one, add, batches };
}

it('when the database fails nobody waits for more than two batches', async () => {
	const { add, batches } = batcher(() => failure(''));
	expect(new Set(await add(25 * MOST))).toEqual(new Set(['rejected']));
	expect(batches.map(({ length }) => length)).toEqual([MOST, MOST]);
});

it('when it fails once, as many as fit into the next batch are stored', async () => {
	const { add } = batcher((_, run) => (run === 1 ? failure('57P01') : null));
	const answers = await add(25 * MOST);
	expect(
		answers.map((answer, n) => (answer === 'fulfilled' ? n : -1)).filter((n) => n >= 0),
	).toEqual(Array.from({ length: MOST }, (_, n) => MOST + n));
});

it('one that can not be stored fails no other', async () => {
	const { add } = batcher((batch) => (batch.includes(3) ? failure('22P05') : null));
	const answers = await add(2 * MOST);
	expect(answers.flatMap((answer, n) => (answer === 'rejected' ? [n] : []))).toEqual([3]);
});

it('a database that fails while each is retried alone is not asked for each of them', async () => {
	const { add, batches } = batcher((batch, run) =>
		run === 1 ? failure('22P05') : run < 5 && batch.length === 1 ? failure('') : null,
	);
	await add(MOST);
	// Together, the first alone, which shows that it failed, and the others together.
	expect(batches.map(({ length }) => length)).toEqual([MOST, 1, MOST - 1]);
});

it('tells of an outage until something is stored, or for a while', async () => {
	let isDown = true;
	const { one, add } = batcher(() => (isDown ? failure('53100') : null));
	one.throwAfterOutage(60_000);
	await add(1);
	expect(() => one.throwAfterOutage(60_000)).toThrow(StoreUnavailable);
	expect(() => one.throwAfterOutage(-1)).not.toThrow();
	isDown = false;
	await add(1);
	expect(() => one.throwAfterOutage(60_000)).not.toThrow();
});
