import type { Rejection } from '../transport/rejections';

/** A row of the list in the request, and how to recognise it. */
export interface SentRow {
	/** Null if rows are not recipients or customers. */
	email: string | null;
}

/** A rejection and its row's position in the request, from 0; null if uncertain. */
export interface LocatedRejection {
	rejection: Rejection;
	position: number | null;
}

/**
 * Finds the row each rejection is about: the right one, or none. An address decides if it occurs
 * once in the request; otherwise the position counts, if it is certain where the service starts
 * counting.
 *
 * @param sent the rows in the order of the request, which the service's positions refer to
 */
export function locateRejections(
	rejections: readonly Rejection[],
	sent: readonly SentRow[],
): LocatedRejection[] {
	const byAddress = new Map<string, number[]>();
	for (const [position, { email }] of sent.entries()) {
		if (email === null) continue;
		byAddress.set(email.toLowerCase(), [...(byAddress.get(email.toLowerCase()) ?? []), position]);
	}
	const owners = ({ email }: Rejection) => byAddress.get(email?.toLowerCase() ?? '') ?? [];
	const base = baseOf(rejections, sent.length, owners);
	return rejections.map((rejection) => {
		const found = owners(rejection);
		if (found.length === 1) return { rejection, position: found[0] };
		const { index, email } = rejection;
		const position = rejection.position ?? (index === null || base === null ? null : index - base);
		if (position === null || sent[position] === undefined) return { rejection, position: null };
		// An address that occurs several times, or never, must not blame someone else.
		const isOwn = email === null || sent[position].email === null || found.includes(position);
		return { rejection, position: isOwn ? position : null };
	});
}

/**
 * Whether the service counts from 0 or 1: whichever fits everything it said, or null if both or
 * neither do. An index of 0 rules out 1, one equal to the number of rows rules out 0, and an
 * address next to an index settles it.
 */
function baseOf(
	rejections: readonly Rejection[],
	count: number,
	owners: (rejection: Rejection) => number[],
): 0 | 1 | null {
	const fitting = ([0, 1] as const).filter((base) =>
		rejections.every((rejection) => {
			if (rejection.index === null) return true;
			const position = rejection.index - base;
			const found = owners(rejection);
			if (position < 0 || position >= count) return false;
			return found.length === 0 || found.includes(position);
		}),
	);
	return fitting.length === 1 ? fitting[0] : null;
}
