import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { nothingCreated } from '../shared/atomicFailure';
import { checkedCredential } from '../shared/credentialCheck';
import { readFlag } from '../shared/flag';
import { isRecord } from '../shared/isRecord';
import { textParameter } from '../shared/parameters';
import { parameterError } from '../shared/perItem';
import { readCreated } from '../shared/sending/createdEntries';
import { LOOK_FIRST, type Entry, type Posting } from '../shared/sending/entry';
import { isolateField, isolationSettings } from '../shared/sending/isolateField';
import { toItems } from '../shared/sending/output';
import { ABOUT_PEOPLE } from '../shared/sending/refusal';
import { sendAll } from '../shared/sending/sendAll';
import { forResellers } from './resellerRequest';

const displayOptions = { show: { operation: ['create'] } };

export const createFields: INodeProperties[] = [
	{
		displayName:
			'All input items go in one request: if one customer is rejected, none is created, unless the option Isolate Bad Entries is on. Each one gets an e-mail that asks for the delegation.',
		name: 'createNotice',
		type: 'notice',
		default: '',
		displayOptions,
	},
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Boulangerie Lune',
		description: 'Name of the customer, as recipients will see it',
		displayOptions,
	},
	{
		displayName: 'Email',
		name: 'email',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. contact@example.com',
		description: 'Where the customer is asked to accept the delegation',
		displayOptions,
	},
	{
		displayName: 'Is Paying',
		name: 'isPaying',
		type: 'boolean',
		default: false,
		description: 'Whether the customer counts as paying, as agreed with the service',
		displayOptions,
	},
	{
		displayName: 'Will Send LRE',
		name: 'willSendLre',
		type: 'boolean',
		default: false,
		description: 'Whether the customer is going to send registered letters (LRE)',
		displayOptions,
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions,
		options: [
			isolateField(
				'customers',
				'Each item then has its own result, and up to 250 customers go in one request.',
			),
		],
	},
];

interface NewCustomer extends Entry {
	customer: { name: string; email: string; isPaying: boolean; willSendLre: boolean };
}

/** Asks customers for their delegation, all together (interface, POST /customers/bulk_store). */
export async function create(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const settings = () => isolationSettings<NewCustomer>(context, () => 'all');
	return toItems(await sendAll(context, { posting: createPosting, settings, prepare }));
}

async function prepare(context: IExecuteFunctions, itemIndex: number): Promise<NewCustomer[]> {
	await checkedCredential(context, itemIndex);
	const text = (name: string, displayName: string) =>
		textParameter(context, itemIndex, { name, displayName });
	// A spreadsheet leaves a no empty, which an expression that names no column does not.
	const flag = (name: string, displayName: string) => {
		const value = context.getNodeParameter(name, itemIndex, false) as unknown;
		const isYes = value === undefined || value === null ? null : readFlag(value);
		if (isYes === null) throw fail(displayName, 'It must be true or false.');
		return isYes;
	};
	const fail = (parameter: string, problem: string) =>
		parameterError(context, itemIndex, parameter, problem);
	const [name, email] = [text('name', 'Name'), text('email', 'Email')];
	if (name === '') throw fail('Name', 'It is empty.');
	if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw fail('Email', `"${email}" is not an email address.`);
	const isPaying = flag('isPaying', 'Is Paying');
	const willSendLre = flag('willSendLre', 'Will Send LRE');
	return [{ itemIndex, customer: { name, email, isPaying, willSendLre } }];
}

const createPosting: Posting<NewCustomer> = {
	request: (entries) => ({
		method: 'POST',
		path: '/customers/bulk_store',
		body: { customers: entries.map(({ customer }) => customer) },
	}),

	// All the fields the service gives (rule CUST-09), one item a customer (rule CUST-01).
	read(status, body, entries) {
		if (status !== 201 || !isRecord(body)) return null;
		const emails = entries.map(({ customer }) => customer.email);
		return readCreated(body.customers, emails);
	},
	expects: '201 and a customer with its ID for each item',

	unclear: {
		mayBe: 'the customers may have been created and asked for their delegation',
		advice: LOOK_FIRST,
	},
	named: ({ itemIndex, customer: { email } }) => [{ itemIndex, email }],
	scope: ABOUT_PEOPLE,
	because: nothingCreated,
	explain: forResellers,
};
