import { isEmail } from '../fields/email';
import { readTextMembers } from '../fields/field';

type IdentifierType = 'SIREN' | 'BCE';

/** A recipient as the service takes it, with only the fields that are filled (interface, Recipient). */
export interface Recipient {
	email: string;
	firstname?: string;
	lastname?: string;
	company?: string;
	identifier?: string;
	identifierType?: IdentifierType;
}

const MEMBERS = [
	...(['email', 'firstname', 'lastname', 'company'] as const),
	...(['companySiren', 'identifier', 'identifierType'] as const),
];

type Member = (typeof MEMBERS)[number];

/** A recipient, or everything wrong with it. */
export type RecipientResult = { recipient: Recipient } | { problems: string[] };

/** What a field is called where the user fills it in. */
export type NameOf = (field: string) => string;

const inJson: NameOf = (field) => `"${field}"`;

/**
 * Reads one recipient from a form or from JSON. Ignores fields it does not know, so that a row of a
 * spreadsheet can be passed as it is (rules RCPT-01 to RCPT-07).
 *
 * @param needsIdentifier whether a company must have one, as for a registered letter (rule TYPE-03)
 * @param raw the same as the node itself has it; left out for data
 */
export function readRecipient(
	value: unknown,
	needsIdentifier: boolean,
	nameOf: NameOf = inJson,
	raw?: unknown,
): RecipientResult {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		return { problems: ['It is not an object such as {"email": "…", "company": "…"}.'] };
	}
	const { texts, problems: noTexts } = readTextMembers({ value, raw }, MEMBERS);
	if (noTexts.length > 0) {
		return { problems: noTexts.map(([name, problem]) => `${nameOf(name)}: ${problem}`) };
	}
	const { email, firstname, lastname, company } = texts;
	const identity = readIdentity(texts, nameOf);
	const problems = [emailProblem(email, nameOf), nameProblem(firstname, lastname, company, nameOf)];
	if ('problem' in identity) problems.push(identity.problem);
	else if (needsIdentifier && company !== '' && identity.identifier === undefined) {
		problems.push(
			'A registered letter (LRE) to a company needs its identifier: a SIREN of 9 digits or a BCE number of 10.',
		);
	}
	const found = problems.filter((problem) => problem !== null);
	if (found.length > 0) return { problems: found };
	return {
		recipient: {
			email,
			...(firstname !== '' && { firstname }),
			...(lastname !== '' && { lastname }),
			...(company !== '' && { company }),
			...(identity as Identifier),
		},
	};
}

function emailProblem(email: string, nameOf: NameOf): string | null {
	if (email === '') return `${nameOf('email')} is missing.`;
	return isEmail(email) ? null : `"${email}" is not an email address.`;
}

function nameProblem(
	firstname: string,
	lastname: string,
	company: string,
	nameOf: NameOf,
): string | null {
	if (company !== '' || (firstname !== '' && lastname !== '')) return null;
	if (firstname === '' && lastname === '') {
		return `It needs either ${nameOf('firstname')} and ${nameOf('lastname')} of a person, or ${nameOf('company')}.`;
	}
	return `${nameOf(firstname === '' ? 'firstname' : 'lastname')} is missing.`;
}

type Identifier =
	| { identifier?: undefined }
	| { identifier: string; identifierType: IdentifierType };
type Identity = Identifier | { problem: string };

function readIdentity(texts: Record<Member, string>, nameOf: NameOf): Identity {
	const { companySiren: siren, identifier, identifierType: type } = texts;
	if (siren !== '' && (identifier !== '' || type !== '')) {
		return {
			problem: `It has both ${nameOf('companySiren')} and ${nameOf('identifier')}; use one of them.`,
		};
	}
	if (siren !== '') return checkedIdentity(siren, 'SIREN', nameOf);
	if (identifier === '') {
		return type === ''
			? {}
			: {
					problem: `It has ${nameOf('identifierType')} ${type}, but ${nameOf('identifier')} is missing.`,
				};
	}
	return checkedIdentity(identifier, type === '' ? 'SIREN' : type, nameOf);
}

const IDENTIFIERS: Record<IdentifierType, { pattern: RegExp; form: string }> = {
	SIREN: { pattern: /^\d{9}$/, form: 'exactly 9 digits' },
	BCE: {
		pattern: /^[01](\d{9}|\d{3}\.\d{3}\.\d{3})$/,
		form: '10 digits that start with 0 or 1, such as 0123.456.749',
	},
};

function checkedIdentity(identifier: string, type: string, nameOf: NameOf): Identity {
	if (!isIdentifierType(type)) {
		return { problem: `${nameOf('identifierType')} must be SIREN or BCE, not "${type}".` };
	}
	const { pattern, form } = IDENTIFIERS[type];
	if (pattern.test(identifier)) return { identifier, identifierType: type };
	return { problem: `The identifier "${identifier}" is not a ${type}, which has ${form}.` };
}

function isIdentifierType(type: string): type is IdentifierType {
	return Object.hasOwn(IDENTIFIERS, type);
}
