import { createHash } from 'crypto';

import { addressKey } from '../../../webhook-receiver/src/core/address';

/** Members that say who something is about, what was written to them, or that open something. */
const LEFT_OUT = ['body', 'firstname', 'lastname', 'company', 'name', 'delegationToken'];

/** Words that may quote what the service or a proxy said of somebody. */
const WORDS = ['message', 'description', 'reason'];
const ANY_ADDRESS = /[^\s"'<>(),;:]+@[^\s"'<>(),;:]+/g;

/**
 * An output, or what has one, as it is kept after its run, in places that n8n neither redacts nor erases:
 * without texts and names, and of addresses only digests, which tell the recipients of a letter apart.
 */
export function withoutPeople<T extends object>(kept: T): T {
	return rewritten(kept, (member, value) => {
		if (LEFT_OUT.includes(member)) return undefined;
		if (WORDS.includes(member) && typeof value === 'string') return value.replace(ANY_ADDRESS, '…');
		return member === 'email' && typeof value === 'string' ? addressDigest(value) : value;
	});
}

/** The same with the addresses that its item names, and without those that it no longer does. */
export function withAddresses<T extends object>(kept: T, addresses: string[]): T {
	const known = new Map(addresses.map((address) => [addressDigest(address), address]));
	return rewritten(kept, (member, value) => {
		// Whoever reported a letter to the receiver by hand may have named its address.
		if (member !== 'email' || String(value).includes('@')) return value;
		return known.get(String(value)) ?? undefined;
	});
}

function rewritten<T extends object>(kept: T, as: (member: string, value: unknown) => unknown): T {
	return JSON.parse(JSON.stringify(kept, as)) as T;
}

function addressDigest(address: string): string {
	return createHash('sha256').update(addressKey(address)).digest('base64url').slice(0, 8);
}
