import { addressKey } from '../../../webhook-receiver/src/core/address';
import type { Rejection } from '../transport/rejections';

/** A row of the list in the request, and how to recognise it. */
export interface SentRow {
	/** Null if rows are not recipients or customers. */
	email: string | null;
}

/** A rejection and its row's position in the request, from 0; null if uncertain. */
interface LocatedRejection {
	rejection: Rejection;
	position: number | null;
}

/**
 * Finds the row each rejection is about: the right one, or none. An address decides if it occurs once in the
 * request, otherwise the position in the field path. An address that occurs several times, or never, must not
 * blame someone else.
 *
 * @param sent the rows in the order of the request, which the service's positions refer to
 */
export function locateRejections(
	rejections: readonly Rejection[],
	sent: readonly SentRow[],
): LocatedRejection[] {
	const places = new Map<string, number[]>();
	for (const [position, { email }] of sent.entries()) {
		if (email === null) continue;
		const name = addressKey(email);
		places.set(name, [...(places.get(name) ?? []), position]);
	}
	return rejections.map((rejection) => {
		const { email, position } = rejection;
		const owners = places.get(addressKey(email ?? '')) ?? [];
		if (owners.length === 1) return { rejection, position: owners[0] };
		const row = position === null ? undefined : sent[position];
		if (row === undefined) return { rejection, position: null };
		const isSure = email === null || row.email === null || owners.includes(Number(position));
		return { rejection, position: isSure ? position : null };
	});
}
