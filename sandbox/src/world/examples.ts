import { newCustomer } from '../customers/customer-record.ts';
import type { Trigger } from '../messages/lifecycle.ts';
import { askForDelegation } from '../customers/delegation-reply.ts';
import { newMessage } from '../messages/message-record.ts';
import type { Account, Contact, Message, MessageType } from './model.ts';
import type { World } from './world.ts';

interface Example {
	type: MessageType;
	/** Local part of the address; `never` and `ada` do nothing on their own. */
	to: string;
	name: [firstname: string, lastname: string];
	body: string;
	fileReference: string;
	happens: Trigger[];
}

const LETTERS: Example[] = [
	{
		type: 'AES',
		to: 'never',
		name: ['Nora', 'Sand'],
		body: '<p>Your appointment is on Tuesday at ten.</p>',
		fileReference: 'VISIT-12',
		happens: ['deliver'],
	},
	{
		type: 'LS',
		to: 'open',
		name: ['Olga', 'Ossian'],
		body: '<h2>Change of our terms</h2><p>From March on, new terms apply.</p>',
		fileReference: 'TERMS-3',
		happens: ['deliver', 'open'],
	},
	{
		type: 'MT',
		to: 'bounce',
		name: ['Bruno', 'Weiß'],
		body: '<p>We could not reach you by telephone.</p>',
		fileReference: 'CALL-7',
		happens: ['bounce'],
	},
	{
		type: 'LRE',
		to: 'accept',
		name: ['Zoë', 'Łukasz'],
		body: '<h2>Notice of termination</h2><p>The contract ends on the last of June.</p>',
		fileReference: 'CONTRACT-88',
		happens: ['deliver', 'accept'],
	},
	{
		type: 'LRE',
		to: 'ada',
		name: ['Ada', 'Lovelace'],
		body: '<h2>Formal notice</h2><p>Please pay within eight days.</p>',
		fileReference: 'INVOICE-2026-14',
		happens: ['deliver'],
	},
];

/** One example of each kind, for a first start. */
export function addExamples(world: World): void {
	const account = (name: string) => world.store.accounts.find((one) => one.name === name);
	const [direct, reseller] = [account('direct'), account('reseller')];
	if (direct) for (const example of LETTERS) addLetter(world, direct, example);
	if (reseller) addCustomer(world, reseller);
}

function addLetter(world: World, { id: accountId }: Account, example: Example): Message {
	const { type, to, name, body, fileReference, happens } = example;
	const [firstname, lastname] = name;
	const contact: Contact = {
		...{ email: `${to}@recipients.example`, firstname, lastname },
		...{ company: null, identifier: null, identifierType: null },
	};
	const letter = { type, body, fileReference, customerReference: null, sender: null };
	const message = newMessage(
		world,
		{ ...letter, includeSenderLogo: false, attachments: [] },
		contact,
		{ accountId, createdAt: world.clock.now(), resendOf: null },
	);
	world.deliveries.accept(message);
	for (const trigger of happens) world.deliveries.apply(message, trigger);
	return message;
}

function addCustomer(world: World, { id, company }: Account): void {
	const wanted = { name: 'Maison Verte', email: 'verte@customers.example' };
	const customer = newCustomer(
		{ ...wanted, isPaying: true, willSendLre: false },
		id,
		world.ids,
		world.clock.now(),
	);
	world.store.customers.set(customer.id, customer);
	askForDelegation(world, customer, company);
}
