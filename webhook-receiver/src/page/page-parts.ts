import type { Guesses } from '../http/guesses.ts';
import type { Clock } from '../time/clock.ts';
import type { Pulls } from '../pull/pulls.ts';
import type { Store } from '../store/store.ts';
import type { Watcher } from '../watch/watcher.ts';

/** What the page needs of the receiver. */
export interface PageParts {
	managementTokens: readonly string[];
	guesses: Guesses;
	store: Store;
	pulls: Pulls;
	watcher: Watcher | null;
	clock: Clock;
}
