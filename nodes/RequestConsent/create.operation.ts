import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { nothingCreated } from '../shared/atomicFailure';
import { checkedCredential } from '../shared/credentialCheck';
import { customerPicker } from '../shared/customerPicker';
import { isolateField, readIsolate } from '../shared/isolateField';
import { pairedOutput } from '../shared/pairedOutput';
import { parameterError } from '../shared/perItem';
import type { Entry, GroupOperation } from '../shared/perGroup';
import { postEntries, type AtomicCall } from '../shared/postEntries';
import { recipientFields } from '../shared/recipientFields';
import { readRecipients } from '../shared/recipientParameter';
import type { Recipient } from '../shared/recipients';
import { ABOUT_PEOPLE } from '../shared/refusal';
import { readSender } from './readSender';

const show = { operation: ['create'] };

export const createFields: INodeProperties[] = [
	{
		displayName: 'Type',
		name: 'type',
		type: 'options',
		options: [
			{ name: 'Email', value: 'EMAIL', description: 'The service asks the recipient by e-mail' },
			{
				name: 'Link',
				value: 'LINK',
				description: 'You get a link, and bring it to the recipient yourself',
			},
			{
				name: 'Manual',
				value: 'MANUAL',
				description: 'You record a consent that was given or asked for elsewhere',
			},
		],
		default: 'EMAIL',
		required: true,
		description: 'How the recipient is asked to agree to letters in electronic form',
		displayOptions: { show },
	},
	{
		displayName: 'State',
		name: 'state',
		type: 'options',
		options: [
			{ name: 'Accepted', value: 'ACCEPTED', description: 'The recipient has agreed' },
			{ name: 'Pending', value: 'PENDING', description: 'The recipient has not answered yet' },
		],
		default: 'ACCEPTED',
		required: true,
		description: 'Where the consent you record stands',
		displayOptions: { show: { ...show, type: ['MANUAL'] } },
	},
	...recipientFields(show, { description: 'Each one is asked for a consent of their own' }),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show },
		options: [
			{
				displayName: 'Delay (Days)',
				name: 'delayInDays',
				type: 'number',
				typeOptions: { minValue: 0, numberPrecision: 0 },
				default: 30,
				description:
					'The delay of the consent in whole days. Without it, the service takes its own default for email and link.',
			},
			isolateField(
				'recipients',
				'Each recipient then has a result of their own, and up to 250 go in one request.',
			),
			customerPicker(
				{
					displayName: 'Sender',
					name: 'sender',
					description:
						'For resellers: the customer to ask for, who must have accepted the delegation',
				},
				'searchAcceptedCustomers',
			),
		],
	},
];

interface ConsentRequest {
	/** Fields of the request but the recipients; items that agree in them share a request. */
	terms: { type: string; state?: string; delayInDays?: number; sender?: string };
	recipients: Recipient[];
}

/** Asks for consents (interface, POST /consents/bulkStore; rules CONS-01 to CONS-06). */
export const create: GroupOperation<ConsentRequest> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		if (itemIndex === 0) readIsolate(context);
		return {
			terms: readTerms(context, itemIndex),
			recipients: readRecipients(context, itemIndex, false),
		};
	},

	groupKey: ({ terms }) => JSON.stringify(terms),

	async perform(context, entries) {
		const asked = entries.flatMap(askedRecipients);
		const terms = entries[0].prepared.terms;
		return await postEntries(context, createCall(terms), asked, readIsolate(context));
	},
};

/** One recipient to ask: the service takes or refuses a list of them. */
interface Asked {
	itemIndex: number;
	recipient: Recipient;
	/** Position among the item's recipients, from 0; left out when there is one. */
	ownPosition?: number;
	terms: ConsentRequest['terms'];
}

function askedRecipients({ itemIndex, prepared }: Entry<ConsentRequest>): Asked[] {
	const { recipients, terms } = prepared;
	return recipients.map((recipient, position) => ({
		itemIndex,
		recipient,
		...(recipients.length > 1 && { ownPosition: position }),
		terms,
	}));
}

const createCall = (terms: ConsentRequest['terms']): AtomicCall<Asked> => ({
	path: '/consents/bulkStore',
	scope: ABOUT_PEOPLE,
	body(asked) {
		const recipients = asked.map(({ recipient }) => recipient);
		return { ...terms, recipients } as unknown as IDataObject;
	},
	sent: ({ itemIndex, ownPosition, recipient: { email } }) => ({ itemIndex, ownPosition, email }),
	details: ({ recipient: { email } }) => ({ email }),
	blameless: nothingCreated,
	output(body, asked) {
		const owners = asked.map(({ itemIndex }) => itemIndex);
		return pairedOutput(body, body, owners);
	},
});

function readTerms(context: IExecuteFunctions, itemIndex: number): ConsentRequest['terms'] {
	const fail = (parameter: string, problem: string) =>
		parameterError(context, itemIndex, parameter, problem);
	const type = String(context.getNodeParameter('type', itemIndex, ''));
	if (!['EMAIL', 'LINK', 'MANUAL'].includes(type)) {
		throw fail('Type', 'It must be EMAIL, LINK or MANUAL.');
	}
	const isManual = type === 'MANUAL';
	const state = isManual ? String(context.getNodeParameter('state', itemIndex, '') ?? '') : '';
	if (isManual && state.trim() === '') {
		throw fail('State', 'It is empty. A consent of type MANUAL needs one, such as ACCEPTED.');
	}
	const options = context.getNodeParameter('options', itemIndex, {});
	const delay = readDelay(options.delayInDays);
	if (delay === null) throw fail('Delay (Days)', 'It must be a whole number of days, 0 or more.');
	const sender = readSender(context, itemIndex, options.sender);
	return {
		type,
		...(isManual && { state: state.trim() }),
		...(delay !== undefined && { delayInDays: delay }),
		...(sender !== '' && { sender }),
	};
}

/** Undefined when there is none, null when it is no whole number of days. */
function readDelay(value: unknown): number | null | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const days = Number(value);
	return Number.isInteger(days) && days >= 0 ? days : null;
}
