import { isRecord } from '../shared/isRecord';
import { readMessageId } from '../shared/messageId';
import type { Posting } from '../shared/sending/entry';

/** What may be true of a resend that got no clear answer, and what to do then. */
export const RESENT: Posting<never>['unclear'] = {
	mayBe: 'the letter may have been sent again',
	advice:
		'Look in the dashboard of the service whether it went out. A retry of this execution will not send it again; a new execution will.',
};

/**
 * The ids in the answer to a resend (rules RSND-01, RSND-04): one id or a list of them, each a text, a
 * number that lost its leading zeros, or an object with an `id`.
 *
 * @returns null when anything in it is no message id
 */
export function readNewIds(answer: unknown): string[] | null {
	const entries = Array.isArray(answer) ? answer : [answer];
	const ids = entries.map((entry) => readMessageId(isRecord(entry) ? entry.id : unquoted(entry)));
	return ids.every((one) => 'id' in one) ? ids.map(({ id }) => id) : null;
}

function unquoted(entry: unknown): unknown {
	return typeof entry === 'string' ? entry.trim().replace(/^"(.*)"$/, '$1') : entry;
}
