import { newCustomer } from './customers/customer.ts';
import { askForDelegation } from './customers/delegation-reply.ts';
import { placeLetter, type PlacedLetter } from './messages/message-record.ts';
import type { Account, Contact } from './state/model.ts';
import type { World } from './world/world.ts';

const person = (email: string, firstname: string, lastname: string): Contact => ({
	email,
	firstname,
	lastname,
	company: null,
	identifier: null,
	identifierType: null,
});

const PLAIN = { customerReference: null, sender: null, includeSenderLogo: false, attachments: [] };

const LETTERS: Array<Omit<PlacedLetter, keyof typeof PLAIN>> = [
	{
		type: 'AES',
		contact: person('never@recipients.example', 'Nora', 'Sand'),
		body: '<p>Your appointment is on Tuesday at ten.</p>',
		fileReference: 'VISIT-12',
		happens: ['deliver'],
	},
	{
		type: 'LS',
		contact: person('open@recipients.example', 'Olga', 'Ossian'),
		body: '<h2>Change of our terms</h2><p>From March on, new terms apply.</p>',
		fileReference: 'TERMS-3',
		happens: ['deliver', 'open'],
	},
	{
		type: 'MT',
		contact: person('bounce@recipients.example', 'Bruno', 'Weiß'),
		body: '<p>We could not reach you by telephone.</p>',
		fileReference: 'CALL-7',
		happens: ['bounce'],
	},
	{
		type: 'LRE',
		contact: person('accept@recipients.example', 'Zoë', 'Łukasz'),
		body: '<h2>Notice of termination</h2><p>The contract ends on the last of June.</p>',
		fileReference: 'CONTRACT-88',
		happens: ['deliver', 'accept'],
	},
	{
		type: 'LRE',
		contact: person('ada@recipients.example', 'Ada', 'Lovelace'),
		body: '<h2>Formal notice</h2><p>Please pay within eight days.</p>',
		fileReference: 'INVOICE-2026-14',
		happens: ['deliver'],
	},
];

/** One example of each kind, for a first start. */
export function addExamples(world: World): void {
	const direct = world.store.accountNamed('direct');
	const reseller = world.store.accountNamed('reseller');
	if (direct) for (const example of LETTERS) placeLetter(world, direct, { ...PLAIN, ...example });
	if (reseller) addCustomer(world, reseller);
}

function addCustomer(world: World, { id, company }: Account): void {
	const wanted = { name: 'Maison Verte', email: 'verte@customers.example' };
	const customer = newCustomer(
		{ ...wanted, isPaying: true, willSendLre: false },
		id,
		world.clock.now(),
	);
	world.store.put('customers', customer);
	askForDelegation(world, customer, company);
}
