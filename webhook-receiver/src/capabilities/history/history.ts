import type { Capability } from '../../capability.ts';
import { BATCHES_OF_LETTERS } from './batches.ts';
import { historyRoutes } from './route.ts';

/** What came in and what became of it, for people to see and to hand out again. */
export const history: Capability = {
	name: 'history',
	steps: [BATCHES_OF_LETTERS],
	start: (kernel) => ({ routes: historyRoutes(kernel) }),
};
