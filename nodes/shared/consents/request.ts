import type { IDataObject } from 'n8n-workflow';

import { wholeNumberField } from '../fields/numberField';
import type { Recipient } from '../recipients/recipients';
import { readCreated } from '../sending/created';
import { LOOK_FIRST, type Entry, type Posting } from '../sending/entry';

/** Fields of the request except the recipients. */
export interface Terms {
	type: string;
	state?: string;
	delayInDays?: number;
	sender?: string;
}

/** The request for the consent of an item's recipients. */
export interface ConsentRequest extends Entry {
	terms: Terms;
	recipients: Recipient[];
}

/** Asks for consents (interface, POST /consents/bulkStore; rules CONS-01 to CONS-06). */
export const requestPosting: Posting<ConsentRequest> = {
	request: ([{ terms, recipients }]) => ({
		method: 'POST',
		path: '/consents/bulkStore',
		body: { ...terms, recipients } as unknown as IDataObject,
	}),

	read(status, body, [{ recipients }]) {
		const created = status === 201 ? readCreated(body, recipients.length) : null;
		return created && [created];
	},
	expects: '201 and a consent with an ID of its own for each recipient',

	unclear: { mayBe: 'the recipients may have been asked', advice: LOOK_FIRST },
	addresses: ({ recipients }) => recipients.map(({ email }) => email),
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
