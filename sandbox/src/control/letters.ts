import { z } from 'zod/v4';
import { controlEndpoint, json } from '../endpoint/endpoint.ts';
import { conflict } from '../http/errors.ts';
import { placedLetter, placeLetter } from '../messages/placing.ts';
import { messageRecord } from '../state/model.ts';
import { findAccount } from './accounts.ts';

const MAX_LETTERS = 1000;

/** Control API: adds letters that nobody sent, as a starting point for tests. */
export const LETTER_ENDPOINTS = [
	controlEndpoint({
		method: 'post',
		path: '/letters',
		id: 'placeLetters',
		summary: 'Add letters to an account, each with a history',
		body: z.strictObject({
			account: z.string().default('direct'),
			letters: z.array(placedLetter).min(1).max(MAX_LETTERS),
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
				const { message, impossible } = placeLetter(world, account, wanted);
				if (impossible === null) return message;
				const { type, status } = message;
				throw conflict(`letters.${index}: a ${type} that is ${status} takes no "${impossible}"`);
			});
			return { messages };
		},
	}),
];
