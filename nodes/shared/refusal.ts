import type { Carried } from './retryPolicy';
import type { Failure } from './serviceError';

/** Which refusals of an all-or-nothing request are about some of its entries. */
export interface RefusalScope {
	/** HTTP statuses that can be; any other is about the account, the address or the moment. */
	statuses: number[];
	/** Codes that are not, though their status is one of these. */
	exceptCodes: string[];
}

/** Refusals of a request whose entries differ in their people alone, and share the sender. */
export const ABOUT_PEOPLE: RefusalScope = {
	statuses: [400, 422],
	exceptCodes: ['customer-not-found', 'customer-not-registered'],
};

/**
 * Whether others could get through without the entries at fault. Only where surely nothing was carried
 * out: what may have been must never go again (design, section 5).
 */
export function isAboutEntries(
	{ status, code }: Failure,
	carried: Carried,
	{ statuses, exceptCodes }: RefusalScope,
): boolean {
	if (carried !== 'no' || status === null || !statuses.includes(status)) return false;
	return code === null || !exceptCodes.includes(code);
}
