import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isRecord } from '../shared/fields/isRecord';
import { readParameter } from '../shared/fields/parameter';
import { readText, type Reading } from '../shared/fields/reading';
import { isUuid } from '../shared/fields/uuid';
import type { NodeOperation } from '../shared/items/operation';
import { LOOK_FIRST, type Entry, type Posting } from '../shared/sending/entry';
import { sending } from '../shared/sending/sendAll';

const consentIdField: INodeProperties = {
	displayName: 'Consent ID',
	name: 'consentId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 3f2b8c1e-5d7a-4e9b-8a6c-1f0e2d3c4b5a',
	description: 'The consent request to send a reminder for. It must be of type email, and pending.',
};

interface Reminder extends Entry {
	consentId: string;
}

const posting: Posting<Reminder> = {
	request: ([{ consentId }]) => ({ method: 'POST', path: `/consents/${consentId}/remind` }),

	read(status, body, [{ consentId }]) {
		const isClear = status === 200 && isRecord(body) && typeof body.message === 'string';
		return isClear ? [{ consentId, ...(body as IDataObject) }] : null;
	},
	expects: '200 and a message',

	unclear: { mayBe: 'the reminder may have been sent', advice: LOOK_FIRST },
};

/** Reminds a contact by email (interface, POST /consents/{id}/remind; rule CONS-08). */
export const remind: NodeOperation = {
	name: 'Remind',
	value: 'remind',
	description: 'Remind a contact of a consent request by email',
	action: 'Send reminder of consent request',
	fields: [consentIdField],
	execute: sending<Reminder>({
		posting,
		prepare(context, itemIndex) {
			const consentId = readParameter(context, itemIndex, consentIdField, readConsentId);
			return [{ itemIndex, consentId }];
		},
	}),
};

function readConsentId(value: unknown): Reading<string> {
	const id = readText(value);
	if ('problem' in id || isUuid(id.value)) return id;
	return { problem: `"${id.value}" is not a consent ID, which is a UUID.` };
}
