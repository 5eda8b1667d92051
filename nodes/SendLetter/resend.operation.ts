import { isRecord } from '../../webhook-receiver/src/core/is-record';
import { readField } from '../shared/fields/field';
import { messageIdsField, readMessageIds } from '../shared/fields/messageId';
import type { NodeOperation } from '../shared/items/operation';
import type { Entry, Posting } from '../shared/sending/entry';
import { sending } from '../shared/sending/send';
import { StreamedForm } from '../shared/transport/multipart';
import { withAdvice, type RequestFailure } from '../shared/transport/serviceError';
import { resendOptionsField, resendSettings } from './maxLetters';

/** What may be true of a resend that got no clear answer, and what to do then. */
export const MAYBE_RESENT: Posting<never>['unclear'] = {
	mayBe: 'the letter may have been sent again',
	advice:
		'Check in the dashboard of the service whether it went out. A retry of this execution will not send it again; a new execution will.',
};

interface OldLetters extends Entry {
	ids: string[];
}

const posting: Posting<OldLetters> = {
	// Indexed like `recipients[0]`; the interface does not show `ids` in a form.
	request([{ ids }]) {
		const fields = ids.map((id, index) => [`ids[${index}]`, id]);
		const body = new StreamedForm(Object.fromEntries(fields), []);
		return { method: 'POST', path: '/messages/resend', body };
	},

	// The new letters are in the order of the old ones.
	read(status, body, [{ ids }]) {
		const newIds = readNewIds(status, body, ids.length);
		return newIds && [ids.map((id, at) => ({ messageId: newIds[at], resentFrom: id }))];
	},
	expects: '201 and a different message ID of 12 digits for each letter',

	unclear: MAYBE_RESENT,
	letter: ({ ids }) => ({ recipients: ids.map(() => null) }),
	explain: (error, [{ ids }]) => explained(error, ids.length),
};

/**
 * Resends letters to their original contacts (interface, POST /messages/resend; rules RSND-01 to RSND-05).
 * Outputs one item for each new letter.
 *
 * Each input item makes its own request with all the IDs it names: the service processes a request as a whole
 * or not at all, so the user decides which letters depend on each other, and one wrong row in a thousand does
 * not stop the others.
 */
export const resend: NodeOperation = {
	name: 'Resend Letters',
	value: 'resend',
	description: 'Resend one or more letters to their original contacts. Each may be charged again.',
	action: 'Resend letters (charged)',
	fields: [messageIdsField, resendOptionsField],
	execute: sending<OldLetters>({
		posting,
		settings: resendSettings(({ ids }) => ids.length),
		prepare: (context, itemIndex) => ({
			itemIndex,
			ids: readField(context, itemIndex, messageIdsField),
		}),
	}),
};

function explained(error: RequestFailure, count: number): RequestFailure {
	const known = error.code === 'customer-not-found' ? withAdvice(error, DELEGATION) : error;
	if (count === 1) return known;
	return withAdvice(
		known,
		`None of the ${count} letters was resent: the service accepts all of them or none.`,
	);
}

const DELEGATION =
	'The letter was sent for a customer, whose delegation to this account may have ended.';

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
