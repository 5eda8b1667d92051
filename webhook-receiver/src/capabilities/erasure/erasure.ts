import type { Capability } from '../../capability.ts';
import { erasureRoutes } from './route.ts';

/** Erases letters, consents and customers wherever they are. */
export const erasure: Capability = {
	name: 'erasure',
	start: (kernel) => ({ routes: erasureRoutes(kernel) }),
};
