import { readField, readOptions } from '../shared/fields/field';
import { messageIdsField } from '../shared/fields/messageId';
import { optionsField, type NodeOperation } from '../shared/items/operation';
import type { Entry, Posting } from '../shared/sending/entry';
import { isolateField, isolationSettings } from '../shared/sending/isolateField';
import { sending } from '../shared/sending/sendAll';
import { StreamedForm } from '../shared/transport/multipart';
import { withAdvice, type ServiceError } from '../shared/transport/serviceError';
import { refuseResends, resendMaxLettersField } from './maxLetters';
import { MAYBE_RESENT, readNewIds } from './resending';

interface OldLetter extends Entry {
	id: string;
}

const posting: Posting<OldLetter> = {
	// Indexed like `recipients[0]`; the interface does not show `ids` in a form.
	request(letters) {
		const fields = letters.map(({ id }, index) => [`ids[${index}]`, id]);
		const body = new StreamedForm(Object.fromEntries(fields), []);
		return { method: 'POST', path: '/messages/resend', body };
	},

	// The new letters are in the order of the old ones.
	read(status, body, letters) {
		const ids = readNewIds(status, body, letters.length);
		return ids && letters.map(({ id }, at) => ({ messageId: ids[at], resentFrom: id }));
	},
	expects: '201 and a different message ID of 12 digits for each letter',

	unclear: MAYBE_RESENT,
	// A letter or its customer may be gone, or a letter be an LRE; a payment is about all of them.
	rejects: { statuses: [400, 404, 405, 409, 410, 422], exceptCodes: [] },
	explain: (error, letters) => explained(error, letters.length),
	details: ({ id }) => ({ resentFrom: id }),
};

const options = {
	isolateBadEntries: isolateField('Letters'),
	maxLetters: resendMaxLettersField,
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
	fields: [messageIdsField, optionsField(options)],
	execute: sending<OldLetter>({
		posting,
		settings(context) {
			const { maxLetters, isolateBadEntries } = readOptions(context, 0, options);
			const option = options.isolateBadEntries;
			return {
				...isolationSettings<OldLetter>(context, option, isolateBadEntries, () => null),
				refuse: refuseResends(maxLetters),
			};
		},
		prepare(context, itemIndex) {
			const ids = readField(context, itemIndex, messageIdsField);
			return ids.map((id) => ({ itemIndex, id }));
		},
	}),
};

function explained(error: ServiceError, count: number): ServiceError {
	const known = error.code === 'customer-not-found' ? withAdvice(error, DELEGATION) : error;
	if (count === 1) return known;
	return withAdvice(
		known,
		`None of the ${count} letters was resent: the service accepts all of them or none.`,
	);
}

const DELEGATION =
	'The letter was sent for a customer, whose delegation to this account may have ended.';
