import fc from 'fast-check';
import { StepQueue } from '../../../sandbox/src/world/step-queue.ts';

it('gives steps by their moment, those of one moment as they were added, whenever they are taken', () => {
	// A number is the moment of a step to add; null takes one out.
	const actions = fc.array(fc.option(fc.nat(5), { freq: 3 }), { maxLength: 60 });
	fc.assert(
		fc.property(actions, (chosen) => {
			const queue = new StepQueue();
			let expected: Array<{ due: number; run: () => void }> = [];
			for (const due of chosen) {
				if (due === null) {
					queue.takeFirst();
					expected = expected.slice(1);
				} else {
					const step = { due, run: () => undefined };
					queue.add(step);
					expected = [...expected, step].sort((one, other) => one.due - other.due);
				}
				expect(queue.first?.due).toBe(expected[0]?.due);
				expect(queue.first?.run).toBe(expected[0]?.run);
			}
		}),
	);
});
