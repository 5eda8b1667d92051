import type { IDataObject } from 'n8n-workflow';

import { wholeNumberField } from '../fields/numberField';
import type { Recipient } from '../recipients/recipients';
import { readCreated } from '../sending/createdEntries';
import { LOOK_FIRST, type Entry, type Posting } from '../sending/entry';

/** Fields of the request except the recipients; those on the same terms share a request. */
export interface Terms {
	type: string;
	state?: string;
	delayInDays?: number;
	sender?: string;
}

/** The request for one recipient's consent. */
export interface ConsentRequest extends Entry {
	terms: Terms;
	recipient: Recipient;
	/** Position among the item's recipients, from 0; left out when there is one. */
	position?: number;
}

/** Which requests for consents may go out together. */
export function termsKey({ terms }: ConsentRequest): string {
	return JSON.stringify(terms);
}

/** Asks for consents (interface, POST /consents/bulkStore; rules CONS-01 to CONS-06). */
export const requestPosting: Posting<ConsentRequest> = {
	request(consents) {
		const [{ terms }] = consents;
		const recipients = consents.map(({ recipient }) => recipient);
		const body = { ...terms, recipients } as unknown as IDataObject;
		return { method: 'POST', path: '/consents/bulkStore', body };
	},

	read(status, body, consents) {
		const emails = consents.map(({ recipient }) => recipient.email);
		return status === 201 ? readCreated(body, emails) : null;
	},
	expects: '201 and a consent with an ID of its own for each recipient',

	unclear: { mayBe: 'the recipients may have been asked', advice: LOOK_FIRST },
	rows: ({ position, recipient: { email } }) => [{ email, recipient: position }],
	details: ({ recipient: { email } }) => ({ email }),
};

export const delayField = wholeNumberField(
	{
		displayName: 'Delay (Days)',
		name: 'delayInDays',
		default: 30,
		description:
			'The delay of the consent in whole days. Without it, the service uses its own default for email and link.',
	},
	0,
);
