// Senders at whatever speed share the memory for large bodies: it is never exceeded, and no sender waits for
// a slow one longer than two seconds.
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { BodyMemory } from '../../../webhook-receiver/src/http/body-memory.ts';
import type { Reading } from '../../../webhook-receiver/src/http/body-memory.ts';
import { ManualClock } from '../../contract/receiver/harness.ts';

const LARGEST = 1_000;
const TOTAL = 8 * LARGEST;
const PATIENCE_MS = 2_000;

interface Sender {
	size: number;
	/** Bytes that it asks for at a time. */
	step: number;
	/** After how many it sends nothing more; null if it sends all at once. */
	stopsAt: number | null;
	isKnown: boolean;
}

const fast = fc.record<Sender>({
	size: fc.integer({ min: 1, max: LARGEST }),
	step: fc.integer({ min: 1, max: LARGEST }),
	stopsAt: fc.constant(null),
	isKnown: fc.boolean(),
});
const slow = fc
	.tuple(fast, fc.double({ min: 0, max: 0.99, noNaN: true }))
	.map(([one, part]) => unknown({ ...one, stopsAt: part * one.size }));

const unknown = (one: Sender): Sender => ({ ...one, isKnown: false });

/** Bodies that are whole stay until `answer`. */
class World {
	readonly clock = new ManualClock();
	readonly done = new Set<number>();
	readonly givenUp = new Set<number>();
	private readonly memory = new BodyMemory(TOTAL, LARGEST, this.clock);
	private readonly held = new Map<Reading, number>();
	private readonly whole: Reading[] = [];

	begin(name: number, { size, step, stopsAt, isKnown }: Sender): void {
		const reading: Reading = {
			isKnown,
			giveUp: () => {
				this.held.delete(reading);
				this.givenUp.add(name);
			},
		};
		const send = () => {
			const has = this.held.get(reading) ?? 0;
			if (stopsAt !== null && has >= stopsAt) return;
			if (has === size) {
				this.memory.whole(reading);
				this.whole.push(reading);
				this.done.add(name);
				return;
			}
			const more = Math.min(step, size - has);
			this.memory.take(reading, more, () => {
				this.held.set(reading, has + more);
				const sum = [...this.held.values()].reduce((all, one) => all + one, 0);
				expect(sum).toBeLessThanOrEqual(TOTAL);
				queueMicrotask(send);
			});
		};
		send();
	}

	/** Lets time pass; what is whole is answered within it. */
	async pass(milliseconds: number): Promise<void> {
		for (let left = milliseconds; left >= 0; left -= 50) {
			this.clock.advance(50);
			await setImmediate();
			for (const reading of this.whole.splice(0)) {
				this.held.delete(reading);
				this.memory.release(reading);
				this.memory.release(reading);
			}
			await setImmediate();
		}
	}
}

const crowd = (one: fc.Arbitrary<Sender>) => fc.array(one, { minLength: 1, maxLength: 40 });

it('many at once, none of them slow: all get through', () =>
	fc.assert(
		fc.asyncProperty(crowd(fast.map(unknown)), async (senders) => {
			const world = new World();
			for (const [name, one] of senders.entries()) world.begin(name, one);
			await world.pass(senders.length * 50 * 2);
			expect([...world.done].toSorted((a, b) => a - b)).toEqual([...senders.keys()]);
			expect(world.givenUp.size).toBe(0);
		}),
		{
			numRuns: 50,
			// Each gets a part, and none is left for the rest of any.
			examples: [
				[Array<Sender>(40).fill({ size: 1_000, step: 300, stopsAt: null, isKnown: false })],
			],
		},
	));

it('who comes after slow strangers waits two seconds at the most, and who is known not at all', () =>
	fc.assert(
		fc.asyncProperty(crowd(slow), fast, fc.nat(5_000), async (strangers, one, pause) => {
			const world = new World();
			for (const [name, stranger] of strangers.entries()) world.begin(name, stranger);
			await world.pass(pause);
			world.begin(-1, one);
			await world.pass(one.isKnown ? 0 : PATIENCE_MS + 200);
			expect([...world.done]).toEqual([-1]);
		}),
		{
			numRuns: 50,
			examples: [true, false].map((isKnown): [Sender[], Sender, number] => [
				Array<Sender>(8).fill({ size: 1_000, step: 900, stopsAt: 900, isKnown: false }),
				{ size: 900, step: 900, stopsAt: null, isKnown },
				0,
			]),
		},
	));
