import type { IDataObject } from 'n8n-workflow';

import { addressKey } from '../../../webhook-receiver/src/core/address';
import { isRecord } from '../../../webhook-receiver/src/core/is-record';

/**
 * Reads a list of what the service created, one entry per address in the request (rules CUST-01,
 * CONS-01), each with an ID of its own. An entry belongs to the address it names. The order tells of the
 * others, where it can: none of them names somebody else, and no other entry stands out of order.
 *
 * @returns in the order of the addresses; null if it is not such a list, or does not tell whose is whose
 */
export function readCreated(list: unknown, emails: string[]): IDataObject[] | null {
	if (!Array.isArray(list) || list.length !== emails.length) return null;
	const created = list.filter((one) => isRecord(one) && hasId(one)) as IDataObject[];
	const ids = new Set(created.map(({ id }) => String(id).trim().toLowerCase()));
	if (ids.size !== list.length) return null;
	return inOrderOf(emails.map(addressKey), created);
}

function inOrderOf(wanted: string[], created: IDataObject[]): IDataObject[] | null {
	const named = created.map(({ email }) => (typeof email === 'string' ? addressKey(email) : ''));
	const ordered = new Map<number, IDataObject>();
	const free = new Map<string, number[]>(wanted.map((address) => [address, []]));
	for (const [place, address] of wanted.entries()) {
		if (named[place] === address) ordered.set(place, created[place]);
		else free.get(address)?.push(place);
	}
	const nameless: number[] = [];
	let isInOrder = true;
	for (const [at, entry] of created.entries()) {
		if (named[at] === wanted[at]) continue;
		const places = free.get(named[at]);
		const place = places?.shift();
		if (place !== undefined) {
			ordered.set(place, entry);
			isInOrder = false;
		} else if (places === undefined) nameless.push(at);
		// One more for somebody who has all that was asked for.
		else return null;
	}
	if (nameless.length > 1 && !isInOrder) return null;
	return wanted.map((_, place) => ordered.get(place) ?? created[Number(nameless.shift())]);
}

// The interface has UUIDs; an entry with another kind of id was created all the same.
function hasId({ id }: Record<string, unknown>): boolean {
	return typeof id === 'number' || (typeof id === 'string' && id.trim() !== '');
}
