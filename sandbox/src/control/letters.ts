import { z } from 'zod/v4';
import { checkCustomer } from '../customers/customer.ts';
import { TRIGGERS } from '../delivery/lifecycle.ts';
import { controlEndpoint, json } from '../endpoint/endpoint.ts';
import { contactSchema, readContacts } from '../http/contacts.ts';
import { conflict } from '../http/errors.ts';
import { placeLetter } from '../messages/message-record.ts';
import { letterMembers } from '../messages/sending.ts';
import { messageRecord } from '../state/model.ts';
import { findAccount } from './accounts.ts';

const MAX_LETTERS = 1000;

const letterSchema = z.strictObject({
	...letterMembers,
	body: letterMembers.body.default('<p>Good morning</p>'),
	...contactSchema.shape,
	email: z.string(),
	happens: z.array(z.enum(TRIGGERS)).max(100).default([]),
});

/** Control API: adds letters that nobody sent, as a starting point for tests. */
export const LETTER_ENDPOINTS = [
	controlEndpoint({
		method: 'post',
		path: '/letters',
		id: 'placeLetters',
		summary: 'Add letters to an account, each with a history',
		body: z.strictObject({
			account: z.string().default('direct'),
			letters: z.array(letterSchema).min(1).max(MAX_LETTERS),
		}),
		answer: json(
			z.object({ messages: z.array(messageRecord.pick({ id: true, status: true })) }),
			201,
		),
		errors: {
			404: ['Account not found'],
			409: ['A letter’s history is impossible; the letters before it were added'],
		},
		handle(world, { body }) {
			const account = findAccount(world, body.account);
			const messages = body.letters.map((wanted, index) => {
				const { happens, ...sent } = wanted;
				const { letter, recipient } = parted(sent);
				// Only a person has to have a name, and any will do.
				const ada = recipient.company == null ? { firstname: 'Ada', lastname: 'Lovelace' } : {};
				const [contact] = readContacts([{ ...ada, ...recipient }], letter.type);
				if (letter.sender !== null) checkCustomer(world.store, account, letter.sender);
				const placed = { ...letter, scheduledAt: null, attachments: [] };
				const { message, impossible } = placeLetter(world, account, placed, contact!, happens);
				if (impossible)
					throw conflict(
						`letters.${index}: a ${message.type} that is ${message.status} takes no "${impossible}"`,
					);
				return message;
			});
			return { messages };
		},
	}),
];

type Letter = Omit<z.output<typeof letterSchema>, 'happens'>;

/** What goes into the letter, and what says whom it is for. */
function parted({
	email,
	firstname,
	lastname,
	company,
	identifier,
	identifierType,
	companySiren,
	...letter
}: Letter) {
	const given = { email, firstname, lastname, company, identifier, identifierType, companySiren };
	const recipient = Object.fromEntries(
		Object.entries(given).filter(([, value]) => value !== undefined),
	) as Partial<typeof given>;
	return { letter, recipient };
}
