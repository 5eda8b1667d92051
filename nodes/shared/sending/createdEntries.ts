import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../isRecord';

/**
 * Reads a list of what was created, one for each address that was sent (rules CUST-01, CONS-01). Where
 * the answer names all the addresses they tell which is whose, else the order does.
 *
 * @returns in the order of the addresses; null when it is no such list
 */
export function readCreated(list: unknown, emails: string[]): IDataObject[] | null {
	if (!Array.isArray(list) || list.length !== emails.length) return null;
	const created = list.filter((one) => isRecord(one) && hasId(one)) as IDataObject[];
	if (created.length !== list.length) return null;
	const byEmail = new Map(created.map((one) => [known(one.email), one]));
	const named = emails.map((email) => byEmail.get(known(email)));
	const isNamed = byEmail.size === emails.length && named.every((one) => one !== undefined);
	return isNamed ? named : created;
}

// The interface has UUIDs; another kind of id does not make it less created.
function hasId({ id }: Record<string, unknown>): boolean {
	return typeof id === 'number' || (typeof id === 'string' && id.trim() !== '');
}

function known(email: unknown): string {
	return String(email).trim().toLowerCase();
}
