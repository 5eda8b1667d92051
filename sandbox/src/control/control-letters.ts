import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { checkCustomer } from '../customers/sender.ts';
import { conflict, invalid } from '../http/errors.ts';
import { TRIGGERS } from '../delivery/lifecycle.ts';
import { placeLetter } from '../messages/message-record.ts';
import { attachmentProblems, readContacts } from '../messages/send-request.ts';
import { isEmail } from '../http/contacts.ts';
import { MESSAGE_STATUSES, MESSAGE_TYPES, type Account, type Attachment } from '../state/model.ts';
import type { World } from '../world/world.ts';
import { findAccount } from './control-accounts.ts';
import { endpoint, json } from './endpoint.ts';

const MAX_LETTERS = 1000;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const TEN_YEARS_MS = 10 * 365 * 86_400_000;
const words = z.string().min(1).max(1000);
const reference = words.nullable().default(null);

const letterSchema = z.strictObject({
	type: z.enum(MESSAGE_TYPES),
	email: z.string().refine(isEmail, 'must be an e-mail address'),
	firstname: words.optional().describe('Ada Lovelace, where there is no company'),
	lastname: words.optional(),
	company: words.optional(),
	identifier: words.optional(),
	identifierType: z.enum(['SIREN', 'BCE']).optional(),
	body: z.string().min(1).default('<p>Good morning</p>'),
	fileReference: reference,
	customerReference: reference,
	sender: z.uuid().nullable().default(null).describe('A customer of the account'),
	attachments: z
		.array(
			z.strictObject({
				name: words,
				content: z.string().regex(BASE64, 'must be base64'),
				contentType: words.default('application/octet-stream'),
			}),
		)
		.max(100)
		.default([]),
	scheduledInMs: z.number().int().min(1).max(TEN_YEARS_MS).optional(),
	happens: z
		.array(z.enum([...TRIGGERS, 'cancel']))
		.max(100)
		.default([]),
});
type WantedLetter = z.infer<typeof letterSchema>;

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
			const letters = body.letters.map((letter) => readLetter(world, account, letter));
			const messages = letters.map(({ attachments, ...letter }, index) => {
				const files = attachments.map((file) => keptFile(world, file));
				const placed = { ...letter, attachments: files };
				const { message, impossible } = placeLetter(world, account, placed);
				const { id, type, status } = message;
				if (impossible)
					throw conflict(`letters.${index}: a ${type} that is ${status} takes no "${impossible}"`);
				return { id, status };
			});
			return { messages };
		},
	}),
];

/** Held to the rules of sending as far as they are about the letter itself. */
function readLetter(world: World, account: Account, letter: WantedLetter) {
	const { email, firstname, lastname, company, identifier, identifierType, ...rest } = letter;
	const { type, sender, attachments, scheduledInMs } = rest;
	// Only a person has to have a name, and any will do.
	const ada = company === undefined ? { firstname: 'Ada', lastname: 'Lovelace' } : {};
	const given = { firstname, lastname, company, identifier, identifierType };
	const [contact] = readContacts([{ email, ...ada, ...defined(given) }], type);
	const problems = attachmentProblems(attachments.length, type);
	if (problems.length > 0) throw invalid(...problems);
	const customer = sender === null ? null : checkCustomer(world.store, account, sender);
	const scheduledAt = scheduledInMs === undefined ? null : world.clock.now() + scheduledInMs;
	const plain = { includeSenderLogo: false, scheduledAt };
	return { ...rest, ...plain, contact: contact!, sender: customer?.id ?? null };
}

const defined = (members: object): object =>
	Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

function keptFile(
	{ uploads }: World,
	{ name, content, contentType }: WantedLetter['attachments'][number],
): Attachment {
	const id = randomUUID();
	const path = join(uploads, id);
	const bytes = Buffer.from(content, 'base64');
	writeFileSync(path, bytes);
	const sha256 = createHash('sha256').update(bytes).digest('hex');
	return { id, name, contentType, size: bytes.length, sha256, path };
}
