import { isRecord } from '../../webhook-receiver/src/core/is-record';
import { readMessageIds } from '../shared/fields/messageId';
import type { Posting } from '../shared/sending/entry';

/** What may be true of a resend that got no clear answer, and what to do then. */
export const MAYBE_RESENT: Posting<never>['unclear'] = {
	mayBe: 'the letter may have been sent again',
	advice:
		'Check in the dashboard of the service whether it went out. A retry of this execution will not send it again; a new execution will.',
};

/**
 * The IDs in the answer to a resend (rules RSND-01, RSND-04): one ID or a list of them, each a text, a
 * number that lost its leading zeros, or an object with an `id`.
 *
 * @returns null if it has anything else, or another number of different IDs
 */
export function readNewIds(status: number, answer: unknown, count: number): string[] | null {
	if (status !== 201) return null;
	const entries = Array.isArray(answer) ? answer : [answer];
	const ids = readMessageIds(entries.map((one) => (isRecord(one) ? one.id : unquoted(one))));
	return 'value' in ids && ids.value.length === count ? ids.value : null;
}

function unquoted(entry: unknown): unknown {
	return typeof entry === 'string' ? entry.trim().replace(/^"(.*)"$/, '$1') : entry;
}
