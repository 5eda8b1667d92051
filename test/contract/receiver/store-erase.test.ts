// One contract, both stores: whatever is known of a letter, erasing leaves nothing of it but its
// tombstone, and loses nothing of the others. Times are passed in.
import * as fc from 'fast-check';
import { ACK_WAIT_MS } from '../../../webhook-receiver/src/core/pull-contract.ts';
import type { Store } from '../../../webhook-receiver/src/operation/store.ts';
import { STORES, type Opened } from './store-environment.ts';
import { arrival, dumped, isTombstone, pullOf, tracesOf } from './stores.ts';

const DAY = 24 * 3_600_000;
const YEAR = 366 * DAY;
const LETTERS = [1, 2, 3, 4];
const idOf = (letter: number) => String(letter).padStart(12, '0');
/** What must not be found again; nothing else has it. */
const markOf = (letter: number) => `mark-of-letter-${letter}`;
/** Letters 1 and 2 are of one file, 3 and 4 of another. */
const fileOf = (letter: number) => `file "${Math.ceil(letter / 2)}"`;
const customerOf = (letter: number) => `customer-${letter}`;
const isUnder = (letter: number, other: number) => fileOf(letter) === fileOf(other);

const HOLDER = 'holder-of-a-claim-0001';
const waitOf = (n: number) => `wait-0000-0000-${String(n).padStart(4, '0')}`;

type Step =
	| {
			kind: 'event' | 'stray' | 'watch' | 'eraseId' | 'eraseFile' | 'eraseCustomer';
			letter: number;
	  }
	| { kind: 'wait' | 'sent'; letter: number; other: number }
	| { kind: 'pull' }
	| { kind: 'restart' }
	| { kind: 'wake'; outcome: 'ack' | 'nak' };

const letter = fc.constantFrom(...LETTERS);
const of = <K extends string>(...kinds: K[]) => fc.constantFrom(...kinds);
const history: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof(
		{ weight: 6, arbitrary: fc.record({ kind: of('event', 'event', 'stray', 'watch'), letter }) },
		{ weight: 3, arbitrary: fc.record({ kind: of('wait', 'sent'), letter, other: letter }) },
		{
			weight: 2,
			arbitrary: fc.oneof(fc.record({ kind: of('pull') }), fc.record({ kind: of('restart') })),
		},
		{
			weight: 2,
			arbitrary: fc.record({ kind: of('wake'), outcome: of('ack', 'nak') }),
		},
		{
			weight: 2,
			arbitrary: fc.record({ kind: of('eraseId', 'eraseFile', 'eraseCustomer'), letter }),
		},
	),
	{ minLength: 1, maxLength: 50, size: 'max' },
);

/** A store that is used, and what must be in it. */
class Use {
	private opened: Opened;
	private now = Date.UTC(2026, 0, 31);
	private number = 0;
	private readonly erased = new Set<number>();
	private readonly events = new Map<number, number>();
	private readonly watched = new Set<number>();
	private readonly keys: Array<{ key: string; letters: number[] }> = [];
	private acked: string[] = [];

	constructor(opened: Opened) {
		this.opened = opened;
	}

	async step(step: Step): Promise<void> {
		this.now += 1_000;
		if (step.kind === 'pull') return this.pull();
		if (step.kind === 'wake') return this.wake(step.outcome);
		if (step.kind === 'restart') {
			this.opened = await this.opened.reopen();
			return;
		}
		const { letter } = step;
		if (step.kind === 'event') return this.event(letter);
		if (step.kind === 'stray') return this.stray(letter);
		if (step.kind === 'watch') return this.watch(letter);
		if (step.kind === 'wait') return this.wait([...new Set([letter, step.other])]);
		if (step.kind === 'sent') return this.sent([...new Set([letter, step.other])]);
		await this.erase(step.kind, letter);
	}

	/** Wakes all that sleeps, so that nothing is left to be told. */
	async end(): Promise<void> {
		this.now += 2 * DAY;
		await this.wake('ack');
		await this.look();
		for (const letter of this.erased) {
			expect(await this.tracesOf(letter, () => true)).toEqual([]);
		}
		await this.opened.end();
	}

	private get store(): Store {
		return this.opened.store;
	}

	private async event(letter: number): Promise<void> {
		const raw = {
			id: `post-${++this.number}`,
			event: 'aes_sent',
			messageId: letter,
			fileReference: fileOf(letter),
			customerReference: customerOf(letter),
			text: markOf(letter),
		};
		const { accepted } = await this.store.intake.add(arrival(this.now, raw));
		expect(accepted).toBe(this.erased.has(letter) ? 0 : 1);
		this.events.set(letter, (this.events.get(letter) ?? 0) + accepted);
	}

	/** An event in which no id is found, though it is there: it goes with the letter. */
	private async stray(letter: number): Promise<void> {
		if (this.erased.has(letter)) return;
		const raw = { event: 'news', of: [{ what: idOf(letter) }], n: ++this.number };
		await this.store.intake.add(arrival(this.now, { ...raw, text: markOf(letter) }));
	}

	private async watch(letter: number): Promise<void> {
		const told = { fileReference: fileOf(letter), customerReference: customerOf(letter) };
		const pace = { delays: [{ age: 0, delay: DAY }], limitMs: YEAR };
		const put = this.store.watching.put([{ messageId: idOf(letter), ...told }], this.now, pace);
		if (this.erased.has(letter)) return refused(put);
		await put;
		this.watched.add(letter);
	}

	private async wait(letters: number[]): Promise<void> {
		const wait = {
			instance: 'n8n',
			resumeUrl: 'http://127.0.0.1:9/7',
			secret: 's'.repeat(40),
			messages: letters.map((one) => ({ messageId: idOf(one), messageType: 'AES' as const })),
			deadline: new Date(this.now + DAY).toISOString(),
			trackedMailGoal: 'opened' as const,
		};
		const put = this.store.waits.put(waitOf(++this.number), wait, this.now);
		if (letters.some((one) => this.erased.has(one))) return refused(put);
		await put;
	}

	private async sent(letters: number[]): Promise<void> {
		const answer = {
			messageIds: letters.map(idOf),
			messages: letters.map((one) => ({ id: idOf(one), email: markOf(one) })),
		};
		const key = `key-${++this.number}`;
		const name = letters.map(markOf).join();
		const claim = { key, state: 'leaving' as const, holder: HOLDER, leaseSeconds: 30, name };
		await this.store.claims.change([{ ...claim, takeUnknown: false }], this.now);
		await this.store.claims.change([{ key, state: 'sent', holder: HOLDER, answer }], this.now);
		this.keys.push({ key, letters: letters.filter((one) => !this.erased.has(one)) });
	}

	private async pull(): Promise<void> {
		const settle = this.acked.map((batch) => ({ batch, outcome: 'ack' as const }));
		const wants = { events: ['*'], batchSize: 2 };
		const pull = pullOf('n8n~flow', { wants, atOnce: 2, settle });
		const taken = await this.store.consumers.take(pull, this.now);
		if (taken.kind === 'held') throw new Error('It is held.');
		for (const { events } of taken.batches) expect(events).not.toEqual([]);
		this.acked = taken.batches.map(({ id }) => id);
	}

	private async wake(outcome: 'ack' | 'nak'): Promise<void> {
		while (await this.store.waits.gather(this.now));
		const puller = { instance: 'n8n', holder: 'one' };
		const wakeUps = await this.store.waits.lease({ ...puller, most: 100 }, this.now);
		for (const { resume } of wakeUps) {
			for (const one of resume.outcomes) {
				const isErased = this.erased.has(Number(one.id));
				expect(one.outcome === 'erased').toBe(isErased);
				if (isErased) expect(one).toMatchObject({ status: null, event: null, eventId: null });
			}
		}
		const settle = wakeUps.map(({ id: batch }) => ({ batch, outcome }));
		await this.store.consumers.settle('n8n~', puller.holder, settle, this.now);
		this.now += ACK_WAIT_MS;
	}

	private async erase(kind: 'eraseId' | 'eraseFile' | 'eraseCustomer', letter: number) {
		const isKnown = (one: number) => this.watched.has(one) || (this.events.get(one) ?? 0) > 0;
		const [letters, expected] = {
			eraseId: [{ messageId: idOf(letter) }, [letter]] as const,
			eraseFile: [
				{ fileReference: fileOf(letter) },
				LETTERS.filter((one) => isUnder(letter, one) && isKnown(one)),
			] as const,
			eraseCustomer: [{ customerReference: customerOf(letter) }, [letter].filter(isKnown)] as const,
		}[kind];
		const ids = await this.store.erase(letters, this.now + YEAR);
		expect(ids).toEqual(expected.map(idOf));
		for (const one of expected) {
			this.erased.add(one);
			this.events.delete(one);
			this.watched.delete(one);
			for (const key of this.keys) key.letters = key.letters.filter((other) => other !== one);
		}
		await this.look();
	}

	/** Nothing of the erased letters, everything of the others. */
	private async look(): Promise<void> {
		// Who sleeps for a letter is still to be told: its number stays until then.
		const isTold = ({ table, row }: { table: string; row: string }) =>
			table !== 'awaited' || !row.includes('erased');
		for (const letter of LETTERS) {
			if (this.erased.has(letter)) expect(await this.tracesOf(letter, isTold)).toEqual([]);
			const events = await this.store.log.sliceOf(idOf(letter), 100);
			expect(events).toHaveLength(this.events.get(letter) ?? 0);
			expect((await this.store.records.get(idOf(letter))).watch !== null).toBe(
				this.watched.has(letter),
			);
		}
		for (const { key, letters } of this.keys) {
			const claim = await this.store.claims.get(key, this.now);
			const kept = letters.length === 0 ? { erased: true } : { messageIds: letters.map(idOf) };
			expect(claim).toMatchObject({ state: 'sent', answer: kept });
		}
	}

	private async tracesOf(letter: number, counts: (row: { table: string; row: string }) => boolean) {
		const rows = [
			...(await tracesOf(this.store, idOf(letter))),
			...(await tracesOf(this.store, markOf(letter))),
		];
		return rows.filter(counts);
	}
}

async function refused(put: Promise<unknown>): Promise<void> {
	await expect(put).rejects.toMatchObject({ status: 410, code: 'message-erased' });
}

describe.each(STORES)('$name', (kind) => {
	it('nothing of an erased letter is left or comes back, and nothing of others is lost', async () => {
		await fc.assert(
			fc.asyncProperty(history, async (steps) => {
				const use = new Use(await kind.open());
				for (const step of steps) await use.step(step);
				await use.end();
			}),
			{ numRuns: kind.runs },
		);
	}, 300_000);

	it('a tombstone has the number of the letter alone, and ends when it should', async () => {
		const opened = await kind.open();
		const { store } = opened;
		const now = Date.now();
		await store.erase({ messageId: idOf(1) }, now + YEAR);
		const tombstones = (await dumped(store)).filter(isTombstone);
		expect(tombstones.map(({ row }) => JSON.parse(row) as unknown)).toEqual([
			{
				id: expect.any(Number) as number,
				subject: idOf(1),
				record: null,
				contact: null,
				next_poll_at: null,
				noted_at: null,
				ended_at: null,
				expires_at: now + YEAR,
			},
		]);
		const accepted = async (at: number) => {
			const raw = { event: 'aes_sent', messageId: 1 };
			return (await store.intake.add(arrival(at, raw))).accepted;
		};
		await store.clean(1_000, now + YEAR - 1);
		expect(await accepted(now + YEAR - 1)).toBe(0);
		await store.clean(1_000, now + YEAR + 1);
		expect(await accepted(now + YEAR + 1)).toBe(1);
		await opened.end();
	});

	it('erases more letters under a reference than go into one transaction', async () => {
		const opened = await kind.open();
		const { store } = opened;
		const now = Date.now();
		const letters = Array.from({ length: 120 }, (_, n) => n + 1);
		const raws = letters.map((messageId) => ({
			event: 'aes_sent',
			messageId,
			customerReference: messageId > 115 ? 'B' : 'A',
		}));
		// A raw event that reads alike inside is not of this reference.
		raws.push({ event: 'aes_sent', messageId: 500, inner: { customerReference: 'A' } } as never);
		await store.intake.add(arrival(now, ...raws));
		const ids = await store.erase({ customerReference: 'A' }, now + YEAR);
		expect(ids).toEqual(letters.slice(0, 115).map(idOf));
		const left = await store.log.slice({ limit: 500, before: null });
		expect(left.map(({ messageId }) => messageId).sort()).toEqual(
			[116, 117, 118, 119, 120, 500].map(idOf),
		);
		await opened.end();
	});
});
