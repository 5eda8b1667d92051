import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { LOOK_FIRST, type Entry, type Posting } from '../sending/entry';

export interface Reminder extends Entry {
	consentId: string;
}

/** Reminds a contact by email (interface, POST /consents/{id}/remind; rule CONS-08). */
export const reminderPosting: Posting<Reminder> = {
	request: ([{ consentId }]) => ({ method: 'POST', path: `/consents/${consentId}/remind` }),

	read(status, body, [{ consentId }]) {
		const isClear = status === 200 && isRecord(body) && typeof body.message === 'string';
		return isClear ? [[{ consentId, ...(body as IDataObject) }]] : null;
	},
	expects: '200 and a message',

	unclear: { mayBe: 'the reminder may have been sent', advice: LOOK_FIRST },
};
