import { z } from 'zod/v4';
import { newCustomer } from './customers/customer.ts';
import { askForDelegation } from './customers/delegation-reply.ts';
import type { Trigger } from './delivery/lifecycle.ts';
import { placeLetter } from './messages/message-record.ts';
import { letterMembers } from './messages/sending.ts';
import type { Account } from './state/model.ts';
import type { World } from './world/world.ts';

const letterSchema = z.object(letterMembers);

interface Example extends z.input<typeof letterSchema> {
	to: [local: string, firstname: string, lastname: string];
	happens: Trigger[];
}

const LETTERS: Example[] = [
	{
		type: 'AES',
		to: ['never', 'Nora', 'Sand'],
		body: '<p>Your appointment is on Tuesday at ten.</p>',
		fileReference: 'VISIT-12',
		happens: ['deliver'],
	},
	{
		type: 'LS',
		to: ['open', 'Olga', 'Ossian'],
		body: '<h2>Change of our terms</h2><p>From March on, new terms apply.</p>',
		fileReference: 'TERMS-3',
		happens: ['deliver', 'open'],
	},
	{
		type: 'MT',
		to: ['bounce', 'Bruno', 'Weiß'],
		body: '<p>We could not reach you by telephone.</p>',
		fileReference: 'CALL-7',
		happens: ['bounce'],
	},
	{
		type: 'LRE',
		to: ['accept', 'Zoë', 'Łukasz'],
		body: '<h2>Notice of termination</h2><p>The contract ends on the last of June.</p>',
		fileReference: 'CONTRACT-88',
		happens: ['deliver', 'accept'],
	},
	{
		type: 'LRE',
		to: ['ada', 'Ada', 'Lovelace'],
		body: '<h2>Formal notice</h2><p>Please pay within eight days.</p>',
		fileReference: 'INVOICE-2026-14',
		happens: ['deliver'],
	},
];

/** One example of each kind, for a first start. */
export function addExamples(world: World): void {
	const direct = world.store.accountNamed('direct');
	const reseller = world.store.accountNamed('reseller');
	if (direct) for (const example of LETTERS) addLetter(world, direct, example);
	if (reseller) addCustomer(world, reseller);
}

function addLetter(world: World, account: Account, { to, happens, ...letter }: Example): void {
	const [local, firstname, lastname] = to;
	const nobody = { company: null, identifier: null, identifierType: null };
	const contact = { email: `${local}@recipients.example`, firstname, lastname, ...nobody };
	const placed = { ...letterSchema.parse(letter), scheduledAt: null, attachments: [] };
	placeLetter(world, account, placed, contact, happens);
}

function addCustomer(world: World, { id, company }: Account): void {
	const named = { name: 'Maison Verte', email: 'verte@customers.example' };
	const wanted = { ...named, isPaying: true, willSendLre: false };
	const customer = newCustomer(wanted, id, world.clock.now());
	world.store.put('customers', customer);
	askForDelegation(world, customer, company);
}
