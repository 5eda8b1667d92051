// One contract, both stores: whatever happens to consumers, every wanted event goes out in order,
// once, and never more at a time than there is room for.
import * as fc from 'fast-check';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { happen } from './consumer-history.ts';
import { allSteps } from './consumer-model.ts';
import { STORES } from './store-environment.ts';
import { candidate, tracesOf } from './stores.ts';

const YEAR = 366 * 24 * 3_600_000;

describe.each(STORES)('$name', (kind) => {
	it('loses nothing, repeats nothing, keeps messages in order, whatever happens', async () => {
		await fc.assert(
			fc.asyncProperty(allSteps, async (steps) => {
				let opened = await kind.open();
				const subject = {
					async ingest(raws: readonly object[], now: number): Promise<readonly DeliveryEvent[]> {
						const candidates = raws.map((raw) => candidate(raw, now));
						const { accepted } = await opened.store.ingest(candidates, now);
						return (await opened.store.log.page({ limit: accepted, before: null })).reverse();
					},
					async erase(messageId: string, now: number) {
						await opened.store.erase({ messageId }, now + YEAR);
						expect(await tracesOf(opened.store, messageId)).toEqual([]);
					},
					consumers: () => opened.store.consumers,
					async restart() {
						opened = await opened.reopen();
					},
				};
				try {
					await happen(subject, steps);
				} finally {
					await opened.end();
				}
			}),
			{ numRuns: kind.runs },
		);
	}, 300_000);
});
