import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../../webhook-receiver/src/core/is-record';

/**
 * Reads a list of what the service created, with an ID for each entry of the request (rules CUST-01, CONS-01).
 *
 * @returns null if it is not such a list
 */
export function readCreated(list: unknown, count: number): IDataObject[] | null {
	if (!Array.isArray(list) || list.length !== count) return null;
	const created = list.filter((one) => isRecord(one) && hasId(one)) as IDataObject[];
	const ids = new Set(created.map(({ id }) => String(id).trim().toLowerCase()));
	return ids.size === count ? created : null;
}

// The interface has UUIDs; an entry with another kind of id was created all the same.
function hasId({ id }: Record<string, unknown>): boolean {
	return typeof id === 'number' || (typeof id === 'string' && id.trim() !== '');
}
