import { z } from 'zod/v4';
import { matchesPath } from './path-pattern.ts';

/** Which requests a rule applies to. */
export const placeShape = {
	/** Any method if omitted. */
	method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).optional(),
	/**
	 * As in the interface, `/messages/{id}`: braces or `*` match any segment. Any path by default.
	 */
	path: z.string().startsWith('/').optional(),
};

export function isAt(
	place: { method?: string | undefined; path?: string | undefined },
	method: string,
	path: string,
): boolean {
	if (place.method !== undefined && place.method !== method) return false;
	if (place.path === undefined) return true;
	return matchesPath(place.path, path);
}
