import type { Capability } from '../../capability.ts';
import { letterRoutes } from './route.ts';

/** The book of letters, for people and workflows to search. */
export const letters: Capability = {
	name: 'letters',
	start: (kernel) => ({
		routes: letterRoutes(kernel),
		roles: [
			['n8n', 'get', '/letters'],
			['n8n', 'get', '/letters/summary'],
		],
	}),
};
