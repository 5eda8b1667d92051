import { domainToASCII } from 'node:url';
import validator from 'validator/lib/isEmail.js';
import { z } from 'zod/v4';
import { serviceError, type ContactError } from './errors.ts';
import { fieldErrors } from './field-errors.ts';
import type { Contact, MessageType } from '../state/model.ts';
import { judgedLater, named } from '../state/schemas.ts';
import { showsNothing, withoutUnseen } from './unseen.ts';

const text = z.string().max(1000);

/** A recipient as sent (section Recipient); `checkContact` decides which fields are required. */
export const contactSchema = z.object({
	email: text.optional(),
	firstname: text.nullish(),
	lastname: text.nullish(),
	company: text.nullish(),
	identifier: text.nullish(),
	identifierType: z.string().nullish(),
	companySiren: text.nullish(),
});

const filled = { type: 'string', minLength: 1 };

/** Rule RCPT-02. */
const PERSON_OR_COMPANY = [
	{ type: 'object', properties: { company: filled }, required: ['company'] },
	{
		type: 'object',
		properties: { firstname: filled, lastname: filled },
		required: ['firstname', 'lastname'],
	},
];

/** Recipients are judged one by one, so that each error names its recipient. */
export const recipientSchema = judgedLater(
	named(
		'Recipient',
		contactSchema.extend({ email: z.string(), identifierType: z.enum(['SIREN', 'BCE']).nullish() }),
		// Beside the members: generators of clients would take the `anyOf` for the whole type.
		{ allOf: [{ anyOf: PERSON_OR_COMPANY }] },
	),
);

/** All recipients, or one error that names every wrong one (rules SEND-11 and CONS-05). */
export function readContacts(
	recipients: unknown[],
	type: MessageType,
	refusal = badContacts,
): Contact[] {
	const contacts: Contact[] = [];
	const wrong: ContactError[] = [];
	recipients.forEach((recipient, index) => {
		const judged = checkContact(recipient, type);
		if ('contact' in judged) contacts.push(judged.contact);
		else {
			const email = (recipient as { email?: unknown } | null)?.email;
			const whom = { index, email: typeof email === 'string' ? email : null };
			wrong.push(...judged.problems.map((problem) => ({ ...whom, ...problem })));
		}
	});
	if (wrong.length > 0) throw refusal(wrong);
	return contacts;
}

const badContacts = (data: ContactError[]): Error =>
	serviceError(422, 'message-bad-contacts', BAD_RECIPIENTS, { data });

export const BAD_RECIPIENTS = 'Some recipients are incomplete or incorrect';

type Problem = Pick<ContactError, 'field' | 'rule' | 'message'>;

const FORMATS = {
	SIREN: { pattern: /^\d{9}$/, described: '9 digits' },
	BCE: {
		pattern: /^[01](\d{9}|\d{3}\.\d{3}\.\d{3})$/,
		described: '10 digits starting with 0 or 1, dots optional as in 0123.456.749',
	},
};

/**
 * By RFC 5321 and 5322, quoted local parts and international addresses included. The validator comes second,
 * as it throws at half a surrogate pair.
 */
export const isEmail = (text: string): boolean =>
	withoutUnseen(text) === text && validator.default(text);

/** The same for all spellings of an address: in capitals, in either Unicode form, in Punycode. */
export function addressKey(email: string): string {
	const [domain = '', ...local] = email.toLowerCase().normalize('NFC').split('@').reverse();
	return [domainToASCII(domain) || domain, ...local].reverse().join('@');
}

export const isSameAddress = (one: string, other: string): boolean =>
	addressKey(one) === addressKey(other);

/**
 * Everything wrong with one recipient, or the contact it names (rules RCPT-01 to RCPT-07, TYPE-03).
 * What shows nothing counts as missing: forms send an empty string for each field left blank.
 */
function checkContact(
	sent: unknown,
	type: MessageType,
): { contact: Contact } | { problems: Problem[] } {
	const shape = contactSchema.safeParse(sent);
	if (!shape.success) return { problems: fieldErrors(shape.error, sent) };
	const given = (name: keyof typeof shape.data) => {
		const text = shape.data[name]?.trim() ?? '';
		return showsNothing(text) ? null : text;
	};
	const siren = given('companySiren');
	const identifier = given('identifier') ?? siren;
	const identifierType = given('identifierType') ?? (identifier === null ? null : 'SIREN');
	const contact = {
		email: given('email') ?? '',
		firstname: given('firstname'),
		lastname: given('lastname'),
		company: given('company'),
		identifier,
		identifierType: identifierType as Contact['identifierType'],
	};
	const problems = [
		...emailProblems(contact.email),
		...personProblems(contact),
		...identifierProblems(identifier, identifierType),
		...(siren !== null && (siren !== identifier || identifierType !== 'SIREN')
			? [problem('companySiren', 'conflict', 'companySiren and identifier differ')]
			: []),
		...(type === 'LRE' && contact.company !== null && identifier === null
			? [problem('identifier', 'required', 'identifier is required for LRE to a legal person')]
			: []),
	];
	return problems.length === 0 ? { contact } : { problems };
}

const problem = (field: string, rule: string, message: string): Problem => ({
	field,
	rule,
	message,
});

function emailProblems(email: string): Problem[] {
	if (email === '') return [problem('email', 'required', 'email is required')];
	return isEmail(email) ? [] : [problem('email', 'email', 'email is not an e-mail address')];
}

function personProblems({ firstname, lastname, company }: Contact): Problem[] {
	if (company !== null) return [];
	if (firstname === null && lastname === null)
		return [problem('company', 'required', 'firstname and lastname, or company, are required')];
	return [
		...(firstname === null ? [problem('firstname', 'required', 'firstname is required')] : []),
		...(lastname === null ? [problem('lastname', 'required', 'lastname is required')] : []),
	];
}

function identifierProblems(identifier: string | null, type: string | null): Problem[] {
	if (type === null) return [];
	if (type !== 'SIREN' && type !== 'BCE')
		return [problem('identifierType', 'enum', 'identifierType must be SIREN or BCE')];
	if (identifier === null)
		return [problem('identifier', 'required', 'identifierType needs an identifier')];
	const { pattern, described } = FORMATS[type];
	if (pattern.test(identifier)) return [];
	return [problem('identifier', 'format', `identifier of type ${type} must be ${described}`)];
}
