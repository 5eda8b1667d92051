import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import { nothingCreated } from '../shared/atomicFailure';
import { checkedCredential } from '../shared/credentialCheck';
import { customerOption, customerPicker } from '../shared/customerPicker';
import { Options } from '../shared/options';
import { textParameter } from '../shared/parameters';
import { parameterError } from '../shared/perItem';
import { recipientFields } from '../shared/recipientFields';
import { readRecipients } from '../shared/recipientParameter';
import type { Recipient } from '../shared/recipients';
import { readCreated } from '../shared/sending/createdEntries';
import { LOOK_FIRST, type Entry, type Posting } from '../shared/sending/entry';
import { isolateField, isolationSettings } from '../shared/sending/isolateField';
import { toItems } from '../shared/sending/output';
import { ABOUT_PEOPLE } from '../shared/sending/refusal';
import { sendAll } from '../shared/sending/sendAll';

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

/** Fields of the request but the recipients; those asked on the same terms share a request. */
interface Terms {
	type: string;
	state?: string;
	delayInDays?: number;
	sender?: string;
}

/** A recipient who is asked. */
interface Asked extends Entry {
	terms: Terms;
	recipient: Recipient;
	/** Position among the item's recipients, from 0; left out when there is one. */
	ownPosition?: number;
}

/** Asks for consents (interface, POST /consents/bulkStore; rules CONS-01 to CONS-06). */
export async function create(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const settings = () => isolationSettings<Asked>(context, ({ terms }) => JSON.stringify(terms));
	return toItems(await sendAll(context, { posting: createPosting, settings, prepare }));
}

async function prepare(context: IExecuteFunctions, itemIndex: number): Promise<Asked[]> {
	await checkedCredential(context, itemIndex);
	const terms = readTerms(context, itemIndex);
	const recipients = readRecipients(context, itemIndex, false);
	return recipients.map((recipient, position) => ({
		itemIndex,
		terms,
		recipient,
		...(recipients.length > 1 && { ownPosition: position }),
	}));
}

const createPosting: Posting<Asked> = {
	request(asked) {
		const [{ terms }] = asked;
		const recipients = asked.map(({ recipient }) => recipient);
		const body = { ...terms, recipients } as unknown as IDataObject;
		return { method: 'POST', path: '/consents/bulkStore', body };
	},

	read(status, body, asked) {
		const emails = asked.map(({ recipient }) => recipient.email);
		return status === 201 ? readCreated(body, emails) : null;
	},
	expects: '201 and a consent with its ID for each recipient',

	unclear: { mayBe: 'the recipients may have been asked', advice: LOOK_FIRST },
	named: ({ itemIndex, ownPosition, recipient: { email } }) => [{ itemIndex, ownPosition, email }],
	scope: ABOUT_PEOPLE,
	because: nothingCreated,
	details: ({ recipient: { email } }) => ({ email }),
};

function readTerms(context: IExecuteFunctions, itemIndex: number): Terms {
	const fail = (parameter: string, problem: string) =>
		parameterError(context, itemIndex, parameter, problem);
	const type = textParameter(context, itemIndex, { name: 'type', displayName: 'Type' });
	if (!['EMAIL', 'LINK', 'MANUAL'].includes(type)) {
		throw fail('Type', 'It must be EMAIL, LINK or MANUAL.');
	}
	const isManual = type === 'MANUAL';
	const stateName = { name: 'state', displayName: 'State' };
	const state = isManual ? textParameter(context, itemIndex, stateName) : '';
	if (isManual && state === '') {
		throw fail('State', 'It is empty. A consent of type MANUAL needs one, such as ACCEPTED.');
	}
	const options = Options.of(context, itemIndex);
	const delayInDays = options.wholeNumber('delayInDays', 'Delay (Days)', 0);
	const sender = customerOption(options, 'sender', 'Sender');
	return {
		type,
		...(isManual && { state }),
		...(delayInDays !== undefined && { delayInDays }),
		...(sender !== undefined && { sender }),
	};
}
