import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../../webhook-receiver/src/core/is-record';

/**
 * Reads a list of what the service created, one entry per address in the request (rules CUST-01,
 * CONS-01), each with an ID of its own. If the answer names all the addresses they say which is
 * whose, otherwise the order does.
 *
 * @returns in the order of the addresses; null if it is not such a list
 */
export function readCreated(list: unknown, emails: string[]): IDataObject[] | null {
	if (!Array.isArray(list) || list.length !== emails.length) return null;
	const created = list.filter((one) => isRecord(one) && hasId(one)) as IDataObject[];
	const ids = new Set(created.map(({ id }) => known(id)));
	if (ids.size !== list.length) return null;
	const byEmail = new Map(created.map((one) => [known(one.email), one]));
	const named = emails.map((email) => byEmail.get(known(email)));
	const isNamed = byEmail.size === emails.length && named.every((one) => one !== undefined);
	return isNamed ? named : created;
}

// The interface has UUIDs; an entry with another kind of id was created all the same.
function hasId({ id }: Record<string, unknown>): boolean {
	return typeof id === 'number' || (typeof id === 'string' && id.trim() !== '');
}

function known(name: unknown): string {
	return String(name).trim().toLowerCase();
}
