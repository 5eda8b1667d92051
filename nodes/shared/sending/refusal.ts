import type { Failure } from '../serviceError';

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

/** Whether the others of a request that was not carried out could get through without those at fault. */
export function isAboutEntries(
	{ status, code }: Failure,
	{ statuses, exceptCodes }: RefusalScope,
): boolean {
	if (status === null || !statuses.includes(status)) return false;
	return code === null || !exceptCodes.includes(code);
}
