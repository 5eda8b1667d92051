import { z } from 'zod/v4';
import { conflict } from '../http/errors.ts';
import { TRIGGERS } from '../messages/lifecycle.ts';
import { placeLetter } from '../messages/placing.ts';
import { isEmail } from '../world/contacts.ts';
import { MESSAGE_STATUSES, MESSAGE_TYPES } from '../world/model.ts';
import { findAccount } from './control-accounts.ts';
import { endpoint, json } from './endpoint.ts';

const MAX_LETTERS = 1000;
const TEN_YEARS_MS = 10 * 365 * 86_400_000;
const name = z.string().min(1).max(1000);

const letterSchema = z.strictObject({
	type: z.enum(MESSAGE_TYPES),
	email: z.string().refine(isEmail, 'must be an e-mail address'),
	firstname: name.default('Ada'),
	lastname: name.default('Lovelace'),
	body: z.string().min(1).default('<p>Good morning</p>'),
	fileReference: z.string().min(1).nullable().default(null),
	scheduledInMs: z.number().int().min(1).max(TEN_YEARS_MS).optional(),
	happens: z
		.array(z.enum([...TRIGGERS, 'cancel']))
		.max(100)
		.default([]),
});

/** Control API: adds letters that nobody sent, as a starting point for tests. */
export const LETTER_ENDPOINTS = [
	endpoint({
		method: 'post',
		path: '/letters',
		id: 'placeLetters',
		summary: 'Add letters to an account, each with a history',
		body: z.strictObject({
			account: z.string().default('direct'),
			letters: z.array(letterSchema).min(1).max(MAX_LETTERS),
		}),
		answer: json(
			z.strictObject({
				messages: z.array(z.strictObject({ id: z.string(), status: z.enum(MESSAGE_STATUSES) })),
			}),
			201,
		),
		errors: {
			404: 'Account not found',
			409: 'A letter’s history is impossible; the letters before it were added',
		},
		handle(world, { body }) {
			const account = findAccount(world, body.account);
			const messages = body.letters.map(({ scheduledInMs, ...letter }, index) => {
				const scheduledAt = scheduledInMs === undefined ? null : world.clock.now() + scheduledInMs;
				const { message, impossible } = placeLetter(world, account, { ...letter, scheduledAt });
				const { id, status } = message;
				if (impossible)
					throw conflict(
						`letters.${index}: a ${letter.type} that is ${status} takes no "${impossible}"`,
					);
				return { id, status };
			});
			return { messages };
		},
	}),
];
