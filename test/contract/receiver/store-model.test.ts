// Over HTTP, on both stores: whatever happens to consumers, every wanted event goes out in order,
// once, and never more at a time than there is room for.
import * as fc from 'fast-check';
import { happen } from './consumer-history.ts';
import { steps } from './consumer-model.ts';
import { Restartable } from './restartable.ts';
import { STORES } from './store-environment.ts';

it.each(STORES)(
	'$name loses nothing, repeats nothing, keeps messages in order, whatever happens',
	async (kind) => {
		await fc.assert(
			fc.asyncProperty(steps, async (all) => {
				const place = await Restartable.on(kind);
				await happen(place, all);
				await place.end();
			}),
			// Each history starts receivers: to look for a shorter one takes many minutes.
			{ numRuns: kind.runs, endOnFailure: true },
		);
	},
	300_000,
);
