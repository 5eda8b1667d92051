import { readEmail } from '../shared/fields/email';
import { field, readFields, readFlag, readText, type Reading } from '../shared/fields/field';
import { isRecord } from '../../webhook-receiver/src/core/is-record';
import { notice } from '../shared/fields/notice';
import type { NodeOperation } from '../shared/items/operation';
import { readCreated } from '../shared/sending/created';
import { LOOK_FIRST, type Entry, type Posting } from '../shared/sending/entry';
import { sending } from '../shared/sending/send';
import { forResellers } from './resellerRequest';

const createNotice = notice(
	'createNotice',
	'Each customer gets an email that asks for the delegation',
	'nodes/manage-customer.md',
);

const nameField = field(
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Boulangerie Lune',
		description: 'Name of the customer, as shown to recipients',
	},
	readName,
);

const emailField = field(
	{
		displayName: 'Email',
		name: 'email',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. contact@example.com',
		description: 'Where to send the request to accept the delegation',
	},
	readEmail,
);

const isPayingField = field(
	{
		displayName: 'Is Paying',
		name: 'isPaying',
		type: 'boolean',
		default: false,
		description: 'Whether the customer counts as paying, as agreed with the service',
	},
	readFlagOrEmpty,
);

const willSendLreField = field(
	{
		displayName: 'Will Send LRE',
		name: 'willSendLre',
		type: 'boolean',
		default: false,
		description: 'Whether the customer will send registered letters (LRE)',
	},
	readFlagOrEmpty,
);

interface NewCustomer extends Entry {
	customer: { name: string; email: string; isPaying: boolean; willSendLre: boolean };
}

const posting: Posting<NewCustomer> = {
	request: ([{ customer }]) => ({
		method: 'POST',
		path: '/customers/bulk_store',
		body: { customers: [customer] },
	}),

	// All fields that the service returns (rule CUST-09).
	read(status, body) {
		if (status !== 201 || !isRecord(body)) return null;
		const created = readCreated(body.customers, 1);
		return created && [created];
	},
	expects: '201 and a customer with an ID',

	unclear: {
		mayBe: 'the customer may have been created and asked for the delegation',
		advice: LOOK_FIRST,
	},
	addresses: ({ customer: { email } }) => [email],
	explain: forResellers,
};

/** Asks customers for their delegation, each in a request of its own (interface, POST /customers/bulk_store). */
export const create: NodeOperation = {
	name: 'Create Customers',
	value: 'create',
	description: 'Create customers, and ask for their delegation by email',
	action: 'Create customers',
	fields: [createNotice, nameField, emailField, isPayingField, willSendLreField],
	execute: sending<NewCustomer>({
		posting,
		prepare(context, itemIndex) {
			const customer = readFields(context, itemIndex, {
				name: nameField,
				email: emailField,
				isPaying: isPayingField,
				willSendLre: willSendLreField,
			});
			return { itemIndex, customer };
		},
	}),
};

function readName(value: unknown): Reading<string> {
	const name = readText(value);
	return 'value' in name && name.value === '' ? { problem: 'It is empty.' } : name;
}

// In spreadsheets, an empty cell means no. An expression that names a missing column is undefined instead.
function readFlagOrEmpty(value: unknown): Reading<boolean> {
	return typeof value === 'string' && value.trim() === '' ? { value: false } : readFlag(value);
}
