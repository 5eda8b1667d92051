// What a held pull looks for when other receivers' word of it may have been lost.
import { pullSchema } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { Pulls } from '../../../webhook-receiver/src/pull/pulls.ts';
import type { PullsParts } from '../../../webhook-receiver/src/pull/pulls.ts';
import { systemClock } from '../../../webhook-receiver/src/time/clock.ts';

it('looks for batches and wake-ups once notices may have been missed', async () => {
	const looked = { batches: 0, wakeUps: 0 };
	const looks = Promise.withResolvers<void>();
	const waits = {
		async lease() {
			looked.wakeUps++;
			looks.resolve();
			return [];
		},
		async waiting() {
			return { count: 0, nextAt: 0 };
		},
	};
	const consumers = {
		async take() {
			const id = `bat_${looked.batches++}`;
			const batches = looked.batches === 1 ? [] : [{ id, attempt: 1, events: [] }];
			return { kind: 'taken', batches, wakeAt: null, more: false, isFull: false };
		},
	};
	const metrics = { countBatches: () => undefined, countWakeUps: () => undefined };
	const parts = { store: { consumers, waits }, clock: systemClock, metrics, watching: false };
	const pulls = new Pulls(parts as unknown as PullsParts);
	const request = { name: 'w', node: 'n', holder: 'holder-0001-0001', wants: { events: ['*'] } };
	const pull = pullSchema.parse({ ...request, holdMs: 2_000 });
	const held = pulls.pull('n8n~flow', pull, new AbortController().signal);
	await looks.promise;
	expect(looked).toEqual({ batches: 1, wakeUps: 1 });
	pulls.open.onMissed();
	expect(await held).toMatchObject({ batches: [{ id: 'bat_1' }] });
	expect(looked).toEqual({ batches: 2, wakeUps: 2 });
	pulls.stop();
});
