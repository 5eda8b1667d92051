import type { IDataObject } from 'n8n-workflow';

import { addressKey } from '../../../webhook-receiver/src/core/address';
import { isRecord } from '../../../webhook-receiver/src/core/is-record';

/**
 * Reads a list of what the service created, one for each address in the request (rules CUST-01, CONS-01).
 *
 * @returns null if it is not such a list: another number, an ID twice, or somebody who was not asked for
 */
export function readCreated(list: unknown, emails: string[]): IDataObject[] | null {
	if (!Array.isArray(list) || list.length !== emails.length) return null;
	const created = list.filter((one) => isRecord(one) && hasId(one)) as IDataObject[];
	const ids = new Set(created.map(({ id }) => String(id).trim().toLowerCase()));
	if (ids.size !== list.length) return null;
	const left = emails.map(addressKey);
	for (const { email } of created) {
		if (typeof email !== 'string') continue;
		const at = left.indexOf(addressKey(email));
		if (at < 0) return null;
		left.splice(at, 1);
	}
	return created;
}

// The interface has UUIDs; an entry with another kind of id was created all the same.
function hasId({ id }: Record<string, unknown>): boolean {
	return typeof id === 'number' || (typeof id === 'string' && id.trim() !== '');
}
