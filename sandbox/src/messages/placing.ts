import { z } from 'zod/v4';
import { checkCustomer } from '../customers/customer.ts';
import { TRIGGERS } from '../delivery/lifecycle.ts';
import { contactSchema, readContacts } from '../http/contacts.ts';
import type { Account } from '../state/model.ts';
import type { World } from '../world/world.ts';
import { newMessage } from './message-record.ts';
import { letterMembers } from './sending.ts';

/** A letter that nobody sent: what one says of it and of its recipient, and what has happened to it. */
export const placedLetter = z.strictObject({
	...letterMembers,
	body: letterMembers.body.default('<p>Good morning</p>'),
	...contactSchema.shape,
	email: z.string(),
	happens: z.array(z.enum(TRIGGERS)).max(100).default([]),
});

const letterAlone = z.object(letterMembers);

/** Adds it to an account. `impossible` is the first thing that cannot have happened to it, or null. */
export function placeLetter(world: World, account: Account, placed: z.output<typeof placedLetter>) {
	const letter = { ...letterAlone.parse(placed), scheduledAt: null, attachments: [] };
	// Only a person has to have a name, and any will do.
	const ada = placed.company == null ? { firstname: 'Ada', lastname: 'Lovelace' } : {};
	const [contact] = readContacts([{ ...ada, ...placed }], letter.type);
	if (letter.sender !== null) checkCustomer(world.store, account, letter.sender);
	const message = newMessage(world, account, letter, contact!);
	world.deliveries.begin(message);
	const impossible = placed.happens.find((what) => !world.deliveries.apply(message, what)) ?? null;
	return { message, impossible };
}
