import type { z } from 'zod/v4';
import { newCustomer } from './customers/customer.ts';
import { askForDelegation } from './customers/delegation-reply.ts';
import { placedLetter, placeLetter } from './messages/placing.ts';
import type { World } from './world/world.ts';

const LETTERS: Array<z.input<typeof placedLetter>> = [
	{
		type: 'AES',
		email: 'never@recipients.example',
		firstname: 'Nora',
		lastname: 'Sand',
		body: '<p>Your appointment is on Tuesday at ten.</p>',
		fileReference: 'VISIT-12',
		happens: ['deliver'],
	},
	{
		type: 'LS',
		email: 'open@recipients.example',
		firstname: 'Olga',
		lastname: 'Ossian',
		body: '<h2>Change of our terms</h2><p>From March on, new terms apply.</p>',
		fileReference: 'TERMS-3',
		happens: ['deliver', 'open'],
	},
	{
		type: 'MT',
		email: 'bounce@recipients.example',
		firstname: 'Bruno',
		lastname: 'Weiß',
		body: '<p>We could not reach you by telephone.</p>',
		fileReference: 'CALL-7',
		happens: ['bounce'],
	},
	{
		type: 'LRE',
		email: 'accept@recipients.example',
		firstname: 'Zoë',
		lastname: 'Łukasz',
		body: '<h2>Notice of termination</h2><p>The contract ends on the last of June.</p>',
		fileReference: 'CONTRACT-88',
		happens: ['deliver', 'accept'],
	},
	{
		type: 'LRE',
		email: 'ada@recipients.example',
		body: '<h2>Formal notice</h2><p>Please pay within eight days.</p>',
		fileReference: 'INVOICE-2026-14',
		happens: ['deliver'],
	},
];

const CUSTOMER = {
	name: 'Maison Verte',
	email: 'verte@customers.example',
	isPaying: true,
	willSendLre: false,
};

/** One example of each kind, for a first start. */
export function addExamples(world: World): void {
	const { store, clock } = world;
	const direct = store.accountNamed('direct');
	for (const letter of direct ? LETTERS : [])
		placeLetter(world, direct!, placedLetter.parse(letter));
	const reseller = store.accountNamed('reseller');
	if (!reseller) return;
	const customer = newCustomer(CUSTOMER, reseller.id, clock.now());
	store.put('customers', customer);
	askForDelegation(world, customer, reseller.company);
}
