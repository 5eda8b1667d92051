import type { Capability } from '../../capability.ts';
import { BOOK_INDEXES } from './book.ts';
import { COUNTS_TABLE, cleanCounts, countLetters } from './counts.ts';
import { letterRoutes } from './route.ts';

/** The book of letters, for people and workflows to search. */
export const letters: Capability = {
	name: 'letters',
	steps: [BOOK_INDEXES + COUNTS_TABLE],
	start: (kernel) => ({
		routes: letterRoutes(kernel),
		changed: countLetters,
		clean: cleanCounts,
		roles: [
			['n8n', 'get', '/letters'],
			['n8n', 'get', '/letters/summary'],
		],
	}),
};
