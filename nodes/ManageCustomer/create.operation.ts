import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { nothingCreated } from '../shared/atomicFailure';
import { checkedCredential } from '../shared/credentialCheck';
import { readFlag } from '../shared/flag';
import { isolateField, readIsolate } from '../shared/isolateField';
import { pairedOutput } from '../shared/pairedOutput';
import { parameterError } from '../shared/perItem';
import type { Entry, GroupOperation } from '../shared/perGroup';
import { postEntries, type AtomicCall } from '../shared/postEntries';
import { ABOUT_PEOPLE } from '../shared/refusal';
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

interface NewCustomer {
	name: string;
	email: string;
	isPaying: boolean;
	willSendLre: boolean;
}

/** Asks customers for their delegation, all together (interface, POST /customers/bulk_store). */
export const create: GroupOperation<NewCustomer> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		if (itemIndex === 0) readIsolate(context);
		const text = (name: string) =>
			String(context.getNodeParameter(name, itemIndex, '') ?? '').trim();
		const fail = (parameter: string, problem: string) =>
			parameterError(context, itemIndex, parameter, problem);
		const flag = (parameter: string, name: string) => {
			const value = readFlag(context.getNodeParameter(name, itemIndex, false));
			if (value === null) throw fail(parameter, 'It must be true or false.');
			return value;
		};
		const [name, email] = [text('name'), text('email')];
		if (name === '') throw fail('Name', 'It is empty.');
		if (!/^[^\s@]+@[^\s@]+$/.test(email))
			throw fail('Email', `"${email}" is not an email address.`);
		return {
			name,
			email,
			isPaying: flag('Is Paying', 'isPaying'),
			willSendLre: flag('Will Send LRE', 'willSendLre'),
		};
	},

	groupKey: () => 'all',

	async perform(context, entries) {
		return await postEntries(context, createCall, entries, readIsolate(context));
	},
};

const createCall: AtomicCall<Entry<NewCustomer>> = {
	path: '/customers/bulk_store',
	scope: ABOUT_PEOPLE,
	body: (entries) => ({ customers: entries.map(({ prepared }) => ({ ...prepared })) }),
	sent: ({ itemIndex, prepared }) => ({ itemIndex, email: prepared.email }),
	explain: forResellers,
	blameless: nothingCreated,

	// All the fields the service gives (rule CUST-09), one item a customer (rule CUST-01).
	output(body, entries) {
		const { customers } = (body ?? {}) as IDataObject;
		const owners = entries.map(({ itemIndex }) => itemIndex);
		return pairedOutput(body, customers, owners);
	},
};
