import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import { checkedCredential } from '../shared/credentialCheck';
import { isRecord } from '../shared/isRecord';
import { textParameter } from '../shared/parameters';
import { parameterError } from '../shared/perItem';
import { LOOK_FIRST, type Entry, type Posting } from '../shared/sending/entry';
import { toItems } from '../shared/sending/output';
import { ABOUT_PEOPLE } from '../shared/sending/refusal';
import { ONE_BY_ONE, sendAll } from '../shared/sending/sendAll';
import { isUuid } from '../shared/uuid';

export const remindFields: INodeProperties[] = [
	{
		displayName: 'Consent ID',
		name: 'consentId',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. 3f2b8c1e-5d7a-4e9b-8a6c-1f0e2d3c4b5a',
		description: 'The consent to remind of. It must be of type email, and pending.',
		displayOptions: { show: { operation: ['remind'] } },
	},
];

interface Reminder extends Entry {
	consentId: string;
}

/** Reminds a contact by e-mail (interface, POST /consents/{id}/remind; rule CONS-08). */
export async function remind(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const settings = () => ONE_BY_ONE;
	return toItems(await sendAll(context, { posting: remindPosting, settings, prepare }));
}

async function prepare(context: IExecuteFunctions, itemIndex: number): Promise<Reminder[]> {
	await checkedCredential(context, itemIndex);
	const field = { name: 'consentId', displayName: 'Consent ID' };
	const consentId = textParameter(context, itemIndex, field);
	if (isUuid(consentId)) return [{ itemIndex, consentId }];
	const problem = `"${consentId}" is not a consent ID, which is a UUID.`;
	throw parameterError(context, itemIndex, field.displayName, problem);
}

const remindPosting: Posting<Reminder> = {
	request: ([{ consentId }]) => ({ method: 'POST', path: `/consents/${consentId}/remind` }),

	read(status, body, [{ consentId }]) {
		const isClear = status === 200 && isRecord(body) && typeof body.message === 'string';
		return isClear ? [{ consentId, ...(body as IDataObject) }] : null;
	},
	expects: '200 and a message',

	unclear: { mayBe: 'the reminder may have been sent', advice: LOOK_FIRST },
	named: ({ itemIndex }) => [{ itemIndex, email: null }],
	scope: ABOUT_PEOPLE,
	because: (_, failure) => failure,
};
